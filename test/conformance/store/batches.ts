import * as fc from "fast-check";
import { expect, test } from "vitest";
import { BOUNDS } from "../../../src/model/histogram.ts";
import type { PointBatch, Store } from "../../../src/store/store.ts";
import {
  batchOf,
  expectedSeries,
  pointWith,
  requestsByLabel,
  sample,
  snapshotOf,
  stored,
  endpointsOf,
} from "../../support/batches.ts";
import { loadTest } from "../../support/load-tests.ts";
import { plainBucketOf, samplesArbitrary } from "../../support/plain-points.ts";
import { randomCases } from "../../support/random-cases.ts";

export function batchesConform(open: () => Promise<Store>): void {
  async function openWithRun(): Promise<Store> {
    const store = await open();
    await store.loadTests.create(loadTest("run"));
    return store;
  }

  test("what a batch holds is read back exactly, the unknown second included", async () => {
    const store = await openWithRun();
    const samples = [sample("b", 0, 7), sample("a", 4_294_967_295, 2 ** 40), sample("b", 3)];
    await store.points.append(batchOf(samples));
    expect(await stored(store)).toEqual(expectedSeries(samples));
  });

  test("extremes that nobody recorded, or of no response time, come back as such", async () => {
    const store = await openWithRun();
    const { unknown, none } = BOUNDS;
    const ranges = [
      [sample("a", 1, 5), sample("a", 2, 5), sample("a", 3, 5), sample("a", 4, 5)],
      [sample("a", 2, 7), sample("a", 4, 2 ** 53 - 1)],
    ];
    const [one, other] = ranges.map((samples, sequence) => batchOf(samples, { sequence }));
    const bounds = [unknown, unknown, none, none];
    const untimed = Float64Array.of(0, 0, 1, 1);
    await store.points.append({
      ...(one as PointBatch),
      points: {
        ...(one as PointBatch).points,
        elapsedMicros: Float64Array.of(5, 5, 0, 0),
        untimedRequests: untimed,
        minMicros: Float64Array.from(bounds, ({ min }) => min),
        maxMicros: Float64Array.from(bounds, ({ max }) => max),
      },
    });
    await store.points.append(other as PointBatch);
    const [[, series]] = (await stored(store)) as [Awaited<ReturnType<typeof stored>>[number]];
    expect([...series.minMicros]).toEqual([-Infinity, -Infinity, Infinity, 2 ** 53 - 1]);
    expect([...series.maxMicros]).toEqual([Infinity, Infinity, -Infinity, 2 ** 53 - 1]);
  });

  test("batches in any order and cut give the same snapshot as all samples at once", async () => {
    const store = await open();
    let runs = 0;
    const batches = fc.array(samplesArbitrary, { minLength: 1, maxLength: 6 });
    const property = fc.asyncProperty(batches, async (cuts) => {
      const loadTestId = `run-${runs++}`;
      await store.loadTests.create(loadTest(loadTestId));
      const labelled = cuts.map((samples) =>
        samples.map((each) => ({ ...each, label: `label ${each.endpoint}` })),
      );
      const appended = labelled.map((samples, index) =>
        store.points.append(
          batchOf(samples, { loadTestId, sourceId: `sender ${index % 2}`, sequence: 9 - index }),
        ),
      );
      await Promise.all(appended);
      expect(await stored(store, loadTestId)).toEqual(expectedSeries(labelled.flat()));
    });
    await fc.assert(property, { numRuns: randomCases(40) });
  });

  test("the same batch again is a duplicate, also when both are under way at once", async () => {
    const store = await openWithRun();
    const batch = batchOf([sample("a", 3), sample("b", 4)]);
    const twice = await Promise.all([store.points.append(batch), store.points.append(batch)]);
    expect(twice.filter(({ duplicate }) => duplicate)).toHaveLength(1);
    expect(await store.points.append(batch)).toEqual({ duplicate: true });
    expect(await requestsByLabel(store)).toEqual([
      ["a", 1],
      ["b", 1],
    ]);
  });

  test("a duplicate is known by its contents, however its labels are numbered", async () => {
    const store = await openWithRun();
    await store.points.append(batchOf([sample("a", 3), sample("b", 4)]));
    const answer = await store.points.append(batchOf([sample("b", 4), sample("a", 3)]));
    expect(answer).toEqual({ duplicate: true });
  });

  test.each([
    ["other numbers", [sample("a", 3, 1001)]],
    ["another second", [sample("a", 4)]],
    ["another label", [sample("b", 3)]],
    ["a point more", [sample("a", 3), sample("a", 4)]],
    ["no points", []],
  ])("the number of a batch with %s is refused, and changes nothing", async (_, samples) => {
    const store = await openWithRun();
    await store.points.append(batchOf([sample("a", 3)]));
    await expect(store.points.append(batchOf(samples))).rejects.toMatchObject({
      code: "sequence-reused",
    });
    expect(await stored(store)).toEqual(expectedSeries([sample("a", 3)]));
  });

  test("a refused batch takes no other one with it", async () => {
    const store = await openWithRun();
    await store.points.append(batchOf([sample("a", 3)]));
    const together = await Promise.allSettled([
      store.points.append(batchOf([sample("a", 5)], { sequence: 1 })),
      store.points.append(batchOf([sample("a", 4)], { sequence: 0 })),
      store.points.append(batchOf([sample("a", 6)], { loadTestId: "other" })),
      store.points.append(batchOf([sample("x".repeat(1025), 6)], { sequence: 3 })),
      store.points.append(batchOf([sample("a", 7)], { sequence: 2 })),
    ]);
    expect(together.map(({ status }) => status)).toEqual([
      "fulfilled",
      "rejected",
      "rejected",
      "rejected",
      "fulfilled",
    ]);
    expect(await requestsByLabel(store)).toEqual([["a", 3]]);
  });

  test("the same number of another source and of another load test is another batch", async () => {
    const store = await openWithRun();
    await store.loadTests.create(loadTest("other"));
    for (const about of [{}, { sourceId: "second" }, { loadTestId: "other" }]) {
      expect(await store.points.append(batchOf([sample("a", 3)], about))).toMatchObject({
        duplicate: false,
      });
    }
    expect(await requestsByLabel(store)).toEqual([["a", 2]]);
    expect(await requestsByLabel(store, "other")).toEqual([["a", 1]]);
  });

  test("an append returns the revisions of the load test before and after it, if it is visible", async () => {
    const store = await openWithRun();
    const revision = async () => {
      const snapshot = await snapshotOf(store);
      snapshot.release();
      return snapshot.revision;
    };
    const append = (samples: Parameters<typeof batchOf>[0], about: Partial<PointBatch>) =>
      store.points.append(batchOf(samples, about));
    const begun = await revision();
    const first = await append([sample("a", 1)], {});
    expect(first.revisions).toEqual({ before: begun, after: await revision() });
    expect((await append([sample("a", 1)], {})).revisions).toBeUndefined();
    const staged = await append([sample("a", 1)], { sourceId: "file", visibility: "staged" });
    expect(staged.revisions).toBeUndefined();
    const all = [1, 2, 3].map((sequence) => append([sample("b", sequence)], { sequence }));
    // In any order, each begins where another one ended.
    const steps = (await Promise.all(all)).map(({ revisions }) => revisions);
    const follow = (from: string | undefined) => steps.find((step) => step?.before === from)?.after;
    expect(follow(follow(follow(first.revisions?.after)))).toBe(await revision());
  });

  test("a batch without points is kept as one", async () => {
    const store = await openWithRun();
    expect(await store.points.append(batchOf([]))).toMatchObject({ duplicate: false });
    expect(await store.points.append(batchOf([]))).toEqual({ duplicate: true });
    expect(await stored(store)).toEqual([]);
  });

  test("a label given twice in one batch is one endpoint", async () => {
    const store = await openWithRun();
    const batch = batchOf([sample("a", 3), sample("b", 3), sample("b", 2)]);
    await store.points.append({ ...batch, labels: ["same", "same"] });
    const samples = [sample("same", 3), sample("same", 3), sample("same", 2)];
    expect(await stored(store)).toEqual(expectedSeries(samples));
  });

  test("sums are exact up to 2^53 - 1 and refused beyond, whichever batches they come from", async () => {
    const store = await openWithRun();
    const most = Number.MAX_SAFE_INTEGER;
    const large = batchOf([sample("a", 7)]);
    const points = pointWith({ requests: 1, elapsedMicros: most - 1 });
    await store.points.append({ ...large, points });
    const one = { ...large, points: pointWith({ requests: 1, elapsedMicros: 1 }) };
    await store.points.append({ ...one, sequence: 1 });
    expect((await stored(store))[0]?.[1].elapsedMicros).toEqual(Float64Array.of(most));
    await store.points.append({ ...one, sequence: 2 });
    await expect(stored(store)).rejects.toMatchObject({ code: "sum-too-large" });
  });

  test("requests of a load test that pass 2^53 - 1 are refused", async () => {
    const store = await openWithRun();
    const batch = batchOf([sample("a", 7)]);
    const points = pointWith({ requests: Number.MAX_SAFE_INTEGER, elapsedMicros: 5 });
    await store.points.append({ ...batch, points });
    await expect(store.points.append({ ...batch, sequence: 1 })).rejects.toMatchObject({
      code: "sum-too-large",
    });
    expect(await store.loadTests.list()).toMatchObject([{ requests: Number.MAX_SAFE_INTEGER }]);
    expect(await stored(store)).toHaveLength(1);
  });

  test("a batch of 10,000 endpoints is read back whole", async () => {
    const store = await openWithRun();
    const labels = Array.from({ length: 10_000 }, (_, index) => `GET /page/${index}`);
    const points = pointsOfEach(labels.length);
    await store.points.append({ ...batchOf([]), labels, points });
    const snapshot = await snapshotOf(store);
    const endpoints = await endpointsOf(snapshot);
    expect(endpoints.map(({ label }) => label)).toEqual(labels.toSorted());
    const elapsed = new Map<string, number>();
    for await (const { endpoint, columns } of snapshot.read(
      endpoints,
      { from: 0, until: 100 },
      "sums",
    )) {
      elapsed.set(endpoint.label, columns.elapsedMicros[0] as number);
    }
    expect(labels.every((label, index) => elapsed.get(label) === index)).toBe(true);
    snapshot.release();
  });
}

/** One point of each endpoint; its elapsed time is the endpoint's number. */
function pointsOfEach(endpoints: number) {
  const numbers = Array.from({ length: endpoints }, (_, index) => index);
  const zeros = new Float64Array(endpoints);
  const ones = new Float64Array(endpoints).fill(1);
  const elapsedMicros = Float64Array.from(numbers);
  return {
    endpoint: Uint32Array.from(numbers),
    second: new Uint32Array(endpoints).fill(50),
    requests: ones,
    elapsedMicros,
    receivedBytes: zeros,
    failedRequests: zeros,
    failedElapsedMicros: zeros,
    failedReceivedBytes: zeros,
    minMicros: elapsedMicros,
    maxMicros: elapsedMicros,
    bucketsFrom: Uint32Array.from([...numbers, endpoints]),
    bucket: Uint16Array.from(numbers, plainBucketOf),
    bucketCount: ones,
  };
}
