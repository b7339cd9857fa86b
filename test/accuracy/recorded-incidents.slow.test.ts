import { expect, test } from "vitest";
import { readRecordedIncidents } from "./recorded-incidents.ts";

test("of 20 injected faults, the first line says what and where of 18, and the cause of 14; nothing of 20 healthy runs", async () => {
  const all = await readRecordedIncidents();
  const faults = all.filter(({ what }) => what !== undefined);
  expect([faults.length, all.length - faults.length]).toEqual([20, 20]);
  const named = faults.filter(({ isWhatNamed, isWhereNamed }) => isWhatNamed && isWhereNamed);
  expect(named.length).toBeGreaterThanOrEqual(18);
  expect(faults.filter(({ isCauseNamed }) => isCauseNamed).length).toBeGreaterThanOrEqual(14);
  const healthy = all.filter(({ what }) => what === undefined);
  expect(healthy.flatMap(({ sentence }) => sentence ?? [])).toEqual([]);
});
