/** For stores that keep response times of passed and failed requests of one second apart. */

import * as fc from "fast-check";
import { expect, test } from "vitest";
import { pointsOfOutcome } from "../../../src/series/points-of-outcome.ts";
import { ALL_SECONDS } from "../../../src/model/columns.ts";
import { snapshotOfOutcome } from "../../../src/series/open-snapshot.ts";
import type { PointBatch, Store } from "../../../src/store/store.ts";
import {
  batchOf,
  collect,
  endpointsOf,
  expectedSeries,
  type LabelledSample,
  sample,
  seriesIn,
  snapshotOf,
} from "../../support/batches.ts";
import { loadTest } from "../../support/load-tests.ts";
import { samplesArbitrary } from "../../support/plain-points.ts";
import { randomCases } from "../../support/random-cases.ts";

export function outcomesConform(open: () => Promise<Store>): void {
  test("passed and failed requests read alone are as if only they had been stored", async () => {
    const store = await open();
    let runs = 0;
    const batches = fc.array(samplesArbitrary, { minLength: 1, maxLength: 5 });
    const property = fc.asyncProperty(batches, async (cuts) => {
      const loadTestId = `run-${runs++}`;
      await store.loadTests.create(loadTest(loadTestId));
      const labelled = cuts.map((samples) =>
        samples.map((each) => ({ ...each, label: `label ${each.endpoint}` })),
      );
      for (const [sequence, samples] of labelled.entries()) {
        const sourceId = `sender ${sequence % 2}`;
        await store.points.append(batchOf(samples, { loadTestId, sourceId, sequence }));
      }
      const snapshot = await snapshotOf(store, loadTestId);
      for (const outcome of ["passed", "failed"] as const) {
        const own = labelled.flat().filter(({ failed }) => failed === (outcome === "failed"));
        const read = await seriesIn(snapshotOfOutcome(snapshot, outcome));
        expect(read.filter(([, { second }]) => second.length > 0)).toEqual(expectedSeries(own));
      }
      snapshot.release();
    });
    await fc.assert(property, { numRuns: randomCases(30) });
  });

  test("a second of which one part does not tell them apart is unknown, its sums are not", async () => {
    const store = await open();
    await store.loadTests.create(loadTest("run"));
    const samples = [failing("a", 1, 3000), sample("a", 1, 1000), sample("a", 2, 500)];
    const { outcomes: _, ...points } = batchOf(samples).points;
    await store.points.append({ ...batchOf(samples), points });
    const told = [failing("a", 1, 7000), sample("a", 1, 9000), failing("a", 2, 40)];
    await store.points.append(batchOf(told, { sequence: 1 }) satisfies PointBatch);
    const snapshot = await snapshotOf(store);
    const read = snapshot.read(await endpointsOf(snapshot), ALL_SECONDS, "outcomes");
    const [series] = await collect(read);
    if (series === undefined) throw new Error("no series");
    expect([...(series.columns.outcomes?.point ?? [])]).toEqual([1]);
    const passed = pointsOfOutcome(series.columns, "passed");
    expect([...passed.requests]).toEqual([2, 1]);
    expect([...passed.elapsedMicros]).toEqual([10_000, 500]);
    expect([...passed.minMicros]).toEqual([-Infinity, 500]);
    expect([...passed.bucketsFrom]).toEqual([0, 0, 1]);
    snapshot.release();
  });
}

function failing(label: string, second: number, elapsedMicros: number): LabelledSample {
  return { ...sample(label, second, elapsedMicros), failed: true };
}
