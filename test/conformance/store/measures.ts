/** Measures are stored exactly once, like the points. */

import * as fc from "fast-check";
import { expect, test } from "vitest";
import { ALL_SECONDS } from "../../../src/model/columns.ts";
import type { PointBatch, Store } from "../../../src/store/store.ts";
import {
  batchOf,
  collect,
  endpointsOf,
  published,
  sample,
  snapshotOf,
} from "../../support/batches.ts";
import { LABELS } from "../../support/details.ts";
import { labelledMeasures, measured, measuresIn, seriesWith } from "../../support/measures.ts";
import { loadTest } from "../../support/load-tests.ts";
import { measuresArbitrary, measureTable, type PlainValue } from "../../support/plain-measures.ts";
import { randomCases } from "../../support/random-cases.ts";

export function measuresConform(open: () => Promise<Store>): void {
  async function openWithRun(): Promise<Store> {
    const store = await open();
    await store.loadTests.create(loadTest("run"));
    return store;
  }

  test("measures in any order and cut are answered as all of them at once", async () => {
    const store = await open();
    let runs = 0;
    const cuts = fc.array(measuresArbitrary, { minLength: 1, maxLength: 4 });
    const property = fc.asyncProperty(cuts, async (split) => {
      const loadTestId = `run-${runs++}`;
      await store.loadTests.create(loadTest(loadTestId));
      for (const [sequence, values] of split.entries()) {
        const sourceId = `sender ${sequence % 2}`;
        await store.points.append(withMeasures(values, { loadTestId, sourceId, sequence }));
      }
      expect(await storedMeasures(store, loadTestId)).toEqual(measureTable(split.flat()));
    });
    await fc.assert(property, { numRuns: randomCases(25) });
  });

  test("a repeated batch counts once, and the same number with other measures is refused", async () => {
    const store = await openWithRun();
    const batch = withMeasures([measured(1, 5)]);
    expect(await store.points.append(batch)).toMatchObject({ duplicate: false });
    expect(await store.points.append(batch)).toEqual({ duplicate: true });
    await expect(store.points.append(withMeasures([measured(1, 6)]))).rejects.toMatchObject({
      code: "sequence-reused",
    });
    await expect(store.points.append(batchOf([]))).rejects.toMatchObject({
      code: "sequence-reused",
    });
    expect(await storedMeasures(store)).toEqual(measureTable([measured(1, 5)]));
  });

  test("measures of a file are visible once it is published, and no more once it is withdrawn", async () => {
    const store = await openWithRun();
    const file = { sourceId: "file", visibility: "staged" } as const;
    await store.points.append(withMeasures([measured(1, 5)], file));
    expect(await storedMeasures(store)).toEqual(measureTable([]));
    await store.points.publish(published("file"));
    expect(await storedMeasures(store)).toEqual(measureTable([measured(1, 5)]));
    await store.points.withdraw("run", "file");
    expect(await storedMeasures(store)).toEqual(measureTable([]));
  });

  test("a range has its seconds; of a minute that it cuts, no distribution is known", async () => {
    const store = await openWithRun();
    const values = [measured(59, 1), measured(60, 2), measured(61, 3), measured(120, 4)];
    for (const [sequence, each] of values.entries()) {
      await store.points.append(withMeasures([each], { sequence }));
    }
    const found = await storedMeasures(store, "run", { from: 61, until: 121 });
    expect([...found.sums.second]).toEqual([61, 120]);
    expect([...found.histograms.minute]).toEqual([60, 120]);
    expect([...found.histograms.bucketsFrom]).toEqual([0, 0, 1]);
    expect([...found.histograms.max]).toEqual([Infinity, 4]);
  });

  test("series are answered in the order asked for, and unknown ones are empty", async () => {
    const store = await openWithRun();
    const [one, other] = [seriesWith({ name: "one" }), seriesWith({ name: "other" })];
    await store.points.append(withMeasures([measured(1, 5, one), measured(2, 6, other)]));
    const snapshot = await snapshotOf(store);
    const asked = [other, seriesWith({ name: "none" }), one, other];
    const tables = await collect(snapshot.measures(asked, ALL_SECONDS));
    expect(tables.map(({ sums }) => [...sums.second])).toEqual([[2], [], [1], [2]]);
    snapshot.release();
  });

  test("a label with only measures is an endpoint without points", async () => {
    const store = await openWithRun();
    await store.points.append(batchOf([sample("a", 3)]));
    const measures = measureTable([measured(1, 5, seriesWith({ label: 0 }))]);
    await store.points.append({
      ...batchOf([], { sequence: 1, measures }),
      labels: ["only measured"],
    });
    const snapshot = await snapshotOf(store);
    expect((await endpointsOf(snapshot)).map(({ label }) => label)).toEqual(["a", "only measured"]);
    expect((await store.loadTests.find("run"))?.endpoints).toBe(2);
    snapshot.release();
  });

  test("sources have their own measures", async () => {
    const store = await openWithRun();
    await store.points.append(withMeasures([measured(1, 5)], { sourceId: "one" }));
    await store.points.append(withMeasures([measured(2, 6)], { sourceId: "other" }));
    const sources = await store.points.snapshotBySource("run");
    const tables = await Promise.all((sources?.sources ?? []).map((each) => measuresIn(each)));
    expect(tables.map(({ sums }) => [...sums.second])).toEqual([[1], [2]]);
    sources?.release();
  });

  test("series beyond the limit are counted as not stored, and known ones still fit", async () => {
    const store = await openWithRun();
    const many = Array.from({ length: 1999 }, (_, index) =>
      measured(1, 5, seriesWith({ name: `m${index}` })),
    );
    await store.points.append(withMeasures(many));
    const [last, lost, again] = ["x1", "x2", "m0"].map((name) =>
      measured(2, 7, seriesWith({ name })),
    );
    const batch = withMeasures([last, lost, lost, again] as PlainValue[], { sequence: 1 });
    const left = [{ name: "x2", values: 2 }];
    expect(await store.points.append(batch)).toMatchObject({ duplicate: false, unstored: left });
    expect(await store.points.append(batch)).toEqual({ duplicate: true, unstored: left });
    const [source] = await store.points.liveSources("run");
    expect(source?.quality).toEqual({ rejectedRows: 0, unreadValues: left });
    const found = await storedMeasures(store);
    expect(found.unstored).toEqual({ series: 2, name: 0, tags: 0, value: 0, time: 0 });
    expect(found.series).toHaveLength(2000);
    expect(found.sums.second.filter((second) => second === 2)).toHaveLength(2);
  });

  test("what its source could not store is added up, even without a value", async () => {
    const store = await openWithRun();
    const unstored = { series: 1, name: 2, tags: 3, value: 4, time: 5 };
    const measures = { ...measureTable([]), unstored };
    await store.points.append(batchOf([], { measures }));
    await store.points.append(batchOf([], { sequence: 1, measures }));
    const found = await storedMeasures(store);
    expect(found.unstored).toEqual({ series: 2, name: 4, tags: 6, value: 8, time: 10 });
  });
}

type About = Partial<Pick<PointBatch, "loadTestId" | "sourceId" | "visibility" | "sequence">>;

function withMeasures(values: readonly PlainValue[], about: About = {}): PointBatch {
  return { ...batchOf([], { ...about, measures: measureTable(values) }), labels: LABELS };
}

async function storedMeasures(store: Store, loadTestId = "run", range = ALL_SECONDS) {
  const snapshot = await snapshotOf(store, loadTestId);
  return labelledMeasures(snapshot, LABELS, range).finally(() => snapshot.release());
}
