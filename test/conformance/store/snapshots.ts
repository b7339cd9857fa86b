import { expect, test } from "vitest";
import type { Store } from "../../../src/store/store.ts";
import type { SumColumns } from "../../../src/model/data-points.ts";
import {
  batchOf,
  collect,
  expectedSeries,
  published,
  sample,
  seriesIn,
  snapshotOf,
  endpointsOf,
} from "../../support/batches.ts";
import { loadTest } from "../../support/load-tests.ts";
import { ALL_SECONDS, SumRoom, mapSums } from "../../../src/model/columns.ts";
import { pointsOf } from "../../support/plain-points.ts";
import type { EndpointSeries } from "../../../src/store/snapshot.ts";

export function snapshotsConform(open: () => Promise<Store>): void {
  async function openWithRun(): Promise<Store> {
    const store = await open();
    await store.loadTests.create(loadTest("run"));
    return store;
  }

  test("an unknown load test has no snapshot, and one without points an empty one", async () => {
    const store = await openWithRun();
    expect(await store.points.snapshot("other")).toBeUndefined();
    const snapshot = await snapshotOf(store);
    expect(snapshot.loadTest).toEqual(loadTest("run"));
    expect(await endpointsOf(snapshot)).toEqual([]);
    snapshot.release();
  });

  test("later writes do not change what a snapshot reads", async () => {
    const store = await openWithRun();
    await store.points.append(batchOf([sample("a", 1), sample("b", 1)]));
    await store.points.append(batchOf([sample("a", 2)], { sourceId: "1", visibility: "staged" }));
    await store.points.publish(published("1"));
    const snapshot = await snapshotOf(store);
    const before = expectedSeries([sample("a", 1), sample("b", 1), sample("a", 2)]);

    await store.points.append(batchOf([sample("a", 1), sample("c", 9)], { sequence: 1 }));
    await store.points.append(batchOf([sample("d", 2)], { sourceId: "2", visibility: "staged" }));
    await store.points.publish(published("2"), ["1"]);
    await store.loadTests.update("run", { name: "renamed" });
    expect(await seriesIn(snapshot)).toEqual(before);
    await store.loadTests.delete("run");
    await store.loadTests.create(loadTest("run"));
    await store.points.append(batchOf([sample("e", 5)]));
    expect(await seriesIn(snapshot)).toEqual(before);
    expect(snapshot.loadTest).toEqual(loadTest("run"));
    snapshot.release();
  });

  test("a snapshot that is being read when its load test is deleted is read to its end", async () => {
    const store = await openWithRun();
    const samples = Array.from({ length: 40 }, (_, index) => sample(`label ${index}`, 5));
    await store.points.append(batchOf(samples));
    const snapshot = await snapshotOf(store);
    let seen = 0;
    for await (const { columns } of snapshot.read(
      await endpointsOf(snapshot),
      { from: 0, until: 9 },
      "sums",
    )) {
      if (seen === 0) await store.loadTests.delete("run");
      seen += columns.second.length;
    }
    expect(seen).toBe(40);
    snapshot.release();
  });

  test("every visible change gives a revision that was never there before", async () => {
    const store = await openWithRun();
    const revisions: string[] = [];
    const note = async () => {
      const snapshot = await snapshotOf(store);
      revisions.push(snapshot.revision);
      snapshot.release();
    };
    await note();
    await store.points.append(batchOf([sample("a", 1)]));
    await note();
    await store.points.append(batchOf([sample("a", 1)], { sourceId: "f", visibility: "staged" }));
    await store.points.publish(published("f"));
    await note();
    await store.points.publish(published("g"), ["f"]);
    await note();
    await store.loadTests.delete("run");
    await store.loadTests.create(loadTest("run"));
    await note();
    await store.points.append(batchOf([sample("a", 1)]));
    await note();
    expect(new Set(revisions).size).toBe(revisions.length);
  });

  test("the revision stays while nothing visible changes", async () => {
    const store = await openWithRun();
    await store.loadTests.create(loadTest("other"));
    await store.points.append(batchOf([sample("a", 1)]));
    const before = await snapshotOf(store);
    await store.points.append(batchOf([sample("a", 1)]));
    await store.points.append(batchOf([sample("a", 1)], { loadTestId: "other" }));
    await store.points.append(batchOf([sample("a", 1)], { sourceId: "f", visibility: "staged" }));
    await store.points.discard("run", "f");
    const after = await snapshotOf(store);
    expect(after.revision).toBe(before.revision);
    before.release();
    after.release();
  });

  test.each([
    [{ from: 2, until: 4 }, [2, 3]],
    [{ from: 0, until: 1 }, [0]],
    [{ from: 1, until: 2 ** 32 }, [1, 2, 3, 4, 4_294_967_295]],
    [{ from: 5, until: 5 }, []],
    [{ from: 5, until: 100 }, []],
    [{ from: 4, until: 2 }, []],
  ])("the range %o gives the seconds %o", async (range, seconds) => {
    const store = await openWithRun();
    const all = [3, 0, 4, 1, 4_294_967_295, 2];
    for (const [sequence, second] of all.entries()) {
      await store.points.append(batchOf([sample("a", second)], { sequence }));
    }
    const snapshot = await snapshotOf(store);
    const [sums] = await collect(snapshot.read(await endpointsOf(snapshot), range, "sums"));
    expect([...(sums?.columns.second ?? [])]).toEqual(seconds);
    const [[, series] = []] = await seriesIn(snapshot, range);
    const expected = expectedSeries(seconds.map((second) => sample("a", second)));
    expect(series).toEqual(expected[0]?.[1] ?? seriesWithoutPoints);
    snapshot.release();
  });

  test("series come in the order asked for, empty where an endpoint has no point", async () => {
    const store = await openWithRun();
    await store.points.append(batchOf([sample("a", 1), sample("b", 2), sample("c", 1)]));
    const snapshot = await snapshotOf(store);
    const [a, b, c] = await endpointsOf(snapshot);
    if (!a || !b || !c) throw new Error("three endpoints were appended");
    const answer = await collect(
      snapshot.read([c, b, a, c, { number: 99, label: "?" }], { from: 1, until: 2 }, "sums"),
    );
    expect(answer.map(({ endpoint }) => endpoint.label)).toEqual(["c", "b", "a", "c", "?"]);
    expect(answer.map(({ columns }) => columns.second.length)).toEqual([1, 0, 1, 1, 0]);
    snapshot.release();
  });

  test("series that share memory are the same as others", async () => {
    const store = await openWithRun();
    const samples = ["a", "b", "c"].flatMap((label, index) =>
      Array.from({ length: 400 - 100 * index }, (_, second) => ({
        ...sample(label, second + 1, 1000 * (index + 1)),
        failed: label === "a",
      })),
    );
    await store.points.append(batchOf(samples));
    const snapshot = await snapshotOf(store);
    const endpoints = await endpointsOf(snapshot);
    const expected = await collect(snapshot.read(endpoints, ALL_SECONDS, "sums"));
    const found = [];
    for await (const series of snapshot.read(endpoints, ALL_SECONDS, "sums", new SumRoom())) {
      found.push({
        ...series,
        columns: mapSums(series.columns, (column) => column.slice() as typeof column),
      });
    }
    expect(found).toEqual(expected);
    snapshot.release();
  });

  test("sums are the same with and without distributions", async () => {
    const store = await openWithRun();
    await store.points.append(batchOf([sample("a", 1), sample("a", 2, 70)]));
    await store.points.append(batchOf([sample("a", 2, 90)], { sequence: 1 }));
    const snapshot = await snapshotOf(store);
    const [sums] = await collect(
      snapshot.read(await endpointsOf(snapshot), { from: 0, until: 9 }, "sums"),
    );
    const [[, series] = []] = await seriesIn(snapshot);
    expect(Object.keys(sums?.columns ?? {}).toSorted()).toEqual(sumColumns.toSorted());
    expect(series).toMatchObject({ ...(sums as EndpointSeries<SumColumns>).columns });
    snapshot.release();
  });
}

const { endpoint: _, ...seriesWithoutPoints } = pointsOf([]);

const sumColumns = [
  "second",
  "requests",
  "elapsedMicros",
  "receivedBytes",
  "failedRequests",
  "failedElapsedMicros",
  "failedReceivedBytes",
];
