import { expect, test } from "vitest";
import { batchOf, sample } from "../../../test/support/batches.ts";
import { memoryStoreWith } from "../../../test/support/stored-runs.ts";
import { ALL_SECONDS } from "../../model/columns.ts";
import { openSnapshot } from "../../series/open-snapshot.ts";
import { ALL_ENDPOINTS } from "../../series/endpoint-selection.ts";
import { openComparedSide } from "../compare/compare-side.ts";
import { gatherSeries } from "./gather-points.ts";

test("a run ends with its last point, also where a shorter one begins later", async () => {
  // A point of a minute from second 600 on, and one of a second within it.
  const minute = batchOf([sample("GET /", 600)]);
  const store = await memoryStoreWith({
    ...minute,
    points: { ...minute.points, windowSeconds: Uint16Array.of(60) },
  });
  await store.points.append(batchOf([sample("GET /", 645)], { sourceId: "other" }));
  const snapshot = await openSnapshot(store.points, "run");
  const endpoints = await (await snapshot.index()).named(Uint32Array.of(0));
  const gathered = await gatherSeries(snapshot.read(endpoints, ALL_SECONDS, "distribution"));
  snapshot.release();
  expect(gathered.span).toEqual({ from: 600, until: 659 });
  const whole = { range: undefined, skipStartSeconds: 0, skipEndSeconds: 0 };
  const part = { loadTestId: "run", selection: ALL_ENDPOINTS, ...whole };
  using side = await openComparedSide(store.points, part);
  expect(side.endpoints.get("GET /")?.span).toMatchObject({ from: 600, until: 660 });
});
