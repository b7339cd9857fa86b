import { expect, test } from "vitest";
import { batchOf, sample } from "../../test/support/batches.ts";
import { copy } from "../../test/support/copying.ts";
import { loadTest } from "../../test/support/load-tests.ts";
import { measured, measuresIn, seriesWith } from "../../test/support/measures.ts";
import { measureTable } from "../../test/support/plain-measures.ts";
import { openMemoryStore } from "../../test/support/memory-store/memory-store.ts";
import { EnvironmentCopier } from "../catalogue/copy-environments.ts";
import { openProject } from "../catalogue/environment-stretch.ts";
import { SECONDS_PER_HOUR } from "../model/measures/environment.ts";
import type { Store } from "../store/store.ts";

async function measuresOf(store: Store) {
  const snapshot = await openProject(store, undefined).points.snapshot("run");
  if (snapshot === undefined) throw new Error("there is no run");
  const measures = await measuresIn(snapshot);
  snapshot.release();
  return measures;
}

test("a copied run shows the measures of its environment once, whether they were copied into it or not", async () => {
  const [from, to] = [openMemoryStore(), openMemoryStore()];
  const hour = 100 * SECONDS_PER_HOUR;
  const environment = from.within({ environment: "staging" });
  await environment.loadTests.create({ ...loadTest("hour"), hour });
  const values = Array.from({ length: 300 }, (_, second) =>
    (["counter", "gauge", "distribution"] as const).map((kind) =>
      measured(hour + second, second, seriesWith({ kind, name: kind })),
    ),
  );
  const measures = measureTable(values.flat());
  await environment.points.append(batchOf([sample("a", 1)], { loadTestId: "hour", measures }));
  await from.loadTests.create({ ...loadTest("run"), environment: "staging" });
  await from.points.append(batchOf([sample("a", hour + 60), sample("a", hour + 179)]));
  const original = await measuresOf(from);
  expect(original.sums.second.length).toBeGreaterThan(100);
  await from.loadTests.update("run", { finishedAtMs: Date.now() });
  const copier = new EnvironmentCopier(from, { now: Date.now, failed: () => undefined });
  expect(await copier.copyInto(await from.loadTests.list())).toEqual([]);
  expect(await from.points.liveSources("run")).toHaveLength(2);
  expect(await measuresOf(from)).toEqual(original);
  for (const scope of [{}, { environment: "staging" }]) {
    await copy(from.within(scope), to.within(scope));
  }
  expect(await measuresOf(to)).toEqual(original);
});
