import { expect, test } from "vitest";
import type { PointBatch, Store } from "../../../src/store/store.ts";
import {
  batchOf,
  expectedSeries,
  type LabelledSample,
  published,
  requestsByLabel,
  sample,
  seriesIn,
  snapshotOf,
  stored,
} from "../../support/batches.ts";
import { loadTest } from "../../support/load-tests.ts";

export function sourcesConform(open: () => Promise<Store>): void {
  async function openWithRun(): Promise<Store> {
    const store = await open();
    await store.loadTests.create(loadTest("run"));
    return store;
  }

  test("a staged source is not seen until it is published, then all of it", async () => {
    const store = await openWithRun();
    const batches = [[sample("a", 1), sample("b", 2)], [], [sample("a", 1)]];
    for (const [sequence, samples] of batches.entries()) {
      await store.points.append(staged("file", samples, sequence));
    }
    expect(await stored(store)).toEqual([]);
    expect(await store.points.sources("run")).toEqual([]);
    await store.points.publish(published("file"));
    expect(await stored(store)).toEqual(expectedSeries(batches.flat()));
    expect(await store.points.sources("run")).toEqual([published("file")]);
  });

  test("what recognises a file comes back with it", async () => {
    const store = await openWithRun();
    const files = [
      { ...published("one"), marks: "2.VTa_ey5.k8AoLr" },
      { ...published("two"), marks: "" },
      published("old"),
    ];
    for (const file of files) await store.points.publish(file);
    expect(await store.points.sources("run")).toEqual(files);
    const snapshot = await store.points.snapshotBySource("run");
    const bySource = new Map(snapshot?.sources.map((each) => [each.sourceId, each.published]));
    for (const file of files) expect(bySource.get(file.sourceId)).toEqual(file);
    snapshot?.release();
  });

  test("a content is found in every load test that shows it, and nowhere else", async () => {
    const store = await openWithRun();
    await store.loadTests.create(loadTest("other"));
    const { sizeBytes, digest } = published("file");
    const find = async () =>
      (await store.points.findContent({ sizeBytes, digest })).map(({ loadTestId }) => loadTestId);
    expect(await find()).toEqual([]);
    await store.points.append(staged("file", [sample("a", 1)]));
    expect(await find()).toEqual([]);
    await store.points.publish(published("file"));
    await store.points.publish(published("another"));
    expect(await store.points.findContent({ sizeBytes, digest })).toEqual([published("file")]);
    expect(await store.points.findContent({ sizeBytes: 2, digest })).toEqual([]);
    await store.points.publish({ ...published("copy", "other"), digest });
    expect((await find()).toSorted()).toEqual(["other", "run"]);
    await store.points.withdraw("other", "copy");
    expect(await find()).toEqual(["run"]);
    await store.points.publish(published("later"), ["file"]);
    expect(await find()).toEqual([]);
    await store.points.publish(published("file"));
    await store.loadTests.delete("run");
    expect(await find()).toEqual([]);
    await store.loadTests.create(loadTest("run"));
    expect(await find()).toEqual([]);
  });

  test("live and published sources merge", async () => {
    const store = await openWithRun();
    await store.points.append(batchOf([sample("a", 1, 5)]));
    await store.points.append(staged("file", [sample("a", 1, 9)]));
    await store.points.publish(published("file"));
    expect(await stored(store)).toEqual(expectedSeries([sample("a", 1, 5), sample("a", 1, 9)]));
  });

  test("the grown state of a file takes the place of the earlier one", async () => {
    const store = await openWithRun();
    await store.points.append(staged("short", [sample("a", 1), sample("gone", 1)]));
    await store.points.publish(published("short"));
    await store.points.append(staged("long", [sample("a", 1), sample("b", 2)]));
    await store.points.publish(published("long"), ["short"]);
    expect(await requestsByLabel(store)).toEqual([
      ["a", 1],
      ["b", 1],
    ]);
    expect(await store.points.sources("run")).toEqual([published("long")]);
  });

  test("publishing again changes nothing", async () => {
    const store = await openWithRun();
    await store.points.append(staged("short", [sample("a", 1)]));
    await store.points.publish(published("short"));
    await store.points.append(staged("long", [sample("a", 1), sample("a", 2)]));
    const first = await store.points.publish(published("long"), ["short"]);
    const again = await store.points.publish(published("long"), ["short"]);
    expect([first, again]).toEqual([{ duplicate: false }, { duplicate: true }]);
    expect(await requestsByLabel(store)).toEqual([["a", 2]]);
  });

  test("the same bytes imported twice at the same time are shown once", async () => {
    const store = await openWithRun();
    await store.points.append(staged("one", [sample("a", 1)]));
    await store.points.append(staged("two", [sample("a", 1)]));
    await store.points.publish(published("one"));
    const twin = { ...published("one"), sourceId: "two", name: "copy.jtl" };
    expect(await store.points.publish(twin)).toEqual({ duplicate: true });
    expect(await requestsByLabel(store)).toEqual([["a", 1]]);
    expect(await store.points.sources("run")).toEqual([published("one")]);
    expect(await store.points.append(staged("two", [sample("b", 1)]))).toEqual({
      duplicate: false,
    });
  });

  test("an earlier state can be replaced once only", async () => {
    const store = await openWithRun();
    await store.points.append(staged("short", [sample("a", 1)]));
    await store.points.publish(published("short"));
    for (const sourceId of ["one", "two"]) await store.points.append(staged(sourceId, []));
    await store.points.publish(published("one"), ["short"]);
    await expect(store.points.publish(published("two"), ["short"])).rejects.toMatchObject({
      code: "source-replaced",
    });
    expect(await store.points.sources("run")).toEqual([published("one")]);
  });

  test("a replaced source can be imported again", async () => {
    const store = await openWithRun();
    await store.points.append(staged("short", [sample("a", 1)]));
    await store.points.publish(published("short"));
    await store.points.publish(published("empty"), ["short"]);
    expect(await stored(store)).toEqual([]);
    expect(await store.points.append(staged("short", [sample("a", 1)]))).toEqual({
      duplicate: false,
    });
    await store.points.publish(published("short"));
    expect(await requestsByLabel(store)).toEqual([["a", 1]]);
  });

  test("a file takes the place of several earlier states, live and imported, or of none", async () => {
    const store = await openWithRun();
    await store.points.append(batchOf([sample("a", 1)], { sourceId: "followed" }));
    await store.points.append(staged("short", [sample("b", 1)]));
    await store.points.publish(published("short"));
    await store.points.append(staged("long", [sample("c", 1)]));
    const replaced = { code: "source-replaced" };
    const publish = store.points.publish(published("long"), ["followed", "short", "gone"]);
    await expect(publish).rejects.toMatchObject(replaced);
    expect((await requestsByLabel(store)).map(([label]) => label)).toEqual(["a", "b"]);
    await store.points.publish(published("long"), ["followed", "short"]);
    expect(await requestsByLabel(store)).toEqual([["c", 1]]);
    expect(await store.points.liveSources("run")).toEqual([]);
  });

  test("a delayed batch does not bring back a live source that was replaced", async () => {
    const store = await openWithRun();
    await store.points.append(chained(5, "nothing"));
    await store.points.append(staged("file", [sample("b", 1)]));
    await store.points.publish(published("file"), ["sender"]);
    expect(await store.points.append(chained(5, "nothing"))).toEqual({ duplicate: true });
    const movedOn = { code: "source-moved-on" };
    await expect(store.points.append(chained(6, "nothing"))).rejects.toMatchObject(movedOn);
    await store.points.append(staged("grown", [sample("c", 1)]));
    const publish = store.points.publish(published("grown"), ["sender"]);
    await expect(publish).rejects.toMatchObject({ code: "source-replaced" });
    expect(await requestsByLabel(store)).toEqual([["b", 1]]);
    expect(await store.loadTests.list()).toMatchObject([{ requests: 1, endpoints: 1 }]);
  });

  test("a source that is withdrawn is gone at once, and nothing brings it back", async () => {
    const store = await openWithRun();
    await store.points.append(batchOf([sample("a", 1)], { sequence: 7 }));
    await store.points.append(staged("file", [sample("b", 1)]));
    await store.points.publish(published("file"));
    const earlier = await snapshotOf(store);
    for (const sourceId of ["sender", "file", "unknown"]) {
      await store.points.withdraw("run", sourceId);
    }
    await store.points.withdraw("unknown", "sender");
    expect(await stored(store)).toEqual([]);
    expect(await store.points.sources("run")).toEqual([]);
    const [summary] = await store.loadTests.list();
    expect(summary).toMatchObject({ endpoints: 0, requests: 0, from: undefined });
    expect((await seriesIn(earlier)).map(([label]) => label)).toEqual(["a", "b"]);
    earlier.release();
    const again = await store.points.append(batchOf([sample("a", 1)], { sequence: 7 }));
    expect(again).toEqual({ duplicate: true });
    const movedOn = { code: "source-moved-on" };
    for (const follows of [undefined, "nothing", 7] as const) {
      const next = batchOf([sample("a", 1)], { sequence: 8, follows });
      await expect(store.points.append(next)).rejects.toMatchObject(movedOn);
    }
    expect(await stored(store)).toEqual([]);
    expect(await store.points.liveSources("run")).toEqual([]);
    await store.points.withdraw("run", "sender");
    await store.points.discard("run", "sender");
    await expect(store.points.append(batchOf([]))).rejects.toMatchObject(movedOn);
    await store.points.append(batchOf([sample("b", 1)], { sourceId: "another" }));
    const [after] = await store.loadTests.list();
    expect(after?.requests).toBe(1);
  });

  test("what is staged is not withdrawn", async () => {
    const store = await openWithRun();
    await store.points.append(staged("file", [sample("a", 1)]));
    await store.points.withdraw("run", "file");
    await store.points.publish(published("file"));
    expect(await requestsByLabel(store)).toEqual([["a", 1]]);
  });

  test("live sources are known by the largest number of their batches", async () => {
    const store = await openWithRun();
    expect(await store.points.liveSources("unknown")).toEqual([]);
    await store.points.append(staged("file", [sample("a", 1)]));
    await store.points.append(batchOf([sample("a", 1)], { sourceId: "one", sequence: 9 }));
    await store.points.append(batchOf([], { sourceId: "two", sequence: 0 }));
    await store.points.append(batchOf([sample("a", 1)], { sourceId: "one", sequence: 4 }));
    expect(await store.points.liveSources("run")).toEqual([
      { sourceId: "one", lastSequence: 9 },
      { sourceId: "two", lastSequence: 0 },
    ]);
  });

  test("a batch that follows another one than the last is kept out, a duplicate is not", async () => {
    const store = await openWithRun();
    const movedOn = { code: "source-moved-on" };
    await expect(store.points.append(chained(5, 3))).rejects.toMatchObject(movedOn);
    expect(await store.points.append(chained(5, "nothing"))).toMatchObject({ duplicate: false });
    expect(await store.points.append(chained(9, 5))).toMatchObject({ duplicate: false });
    // Sent before 9 was, by a writer that is gone and divided its data differently.
    await expect(store.points.append(chained(7, 5))).rejects.toMatchObject(movedOn);
    await expect(store.points.append(chained(12, "nothing"))).rejects.toMatchObject(movedOn);
    expect(await store.points.append(chained(9, 5))).toEqual({ duplicate: true });
    expect(await store.points.append(chained(5, "nothing"))).toEqual({ duplicate: true });
    expect(await requestsByLabel(store)).toEqual([["a", 2]]);
  });

  test("a discarded source is forgotten and can be staged anew with other contents", async () => {
    const store = await openWithRun();
    await store.points.append(staged("file", [sample("a", 1)]));
    await store.points.discard("run", "file");
    await store.points.discard("run", "file");
    await store.points.discard("other", "file");
    await store.points.append(staged("file", [sample("b", 2)]));
    await store.points.publish(published("file"));
    expect(await requestsByLabel(store)).toEqual([["b", 1]]);
  });

  test("a source that readers see is not discarded", async () => {
    const store = await openWithRun();
    await store.points.append(batchOf([sample("a", 1)]));
    await store.points.append(staged("file", [sample("a", 1)]));
    await store.points.publish(published("file"));
    await store.points.discard("run", "file");
    await store.points.discard("run", "sender");
    expect(await requestsByLabel(store)).toEqual([["a", 2]]);
  });

  test("an interrupted import goes on with the batches that are missing", async () => {
    const store = await openWithRun();
    await store.points.append(staged("file", [sample("a", 1)], 1));
    await expect(store.points.publish(published("file"))).rejects.toMatchObject({
      code: "source-incomplete",
    });
    await store.points.append(staged("file", [sample("a", 1)], 0));
    await store.points.append(staged("file", [sample("a", 1)], 1));
    await store.points.publish(published("file"));
    expect(await requestsByLabel(store)).toEqual([["a", 2]]);
  });

  test("a source of which not all batches are left is not published", async () => {
    const store = await openWithRun();
    const incomplete = { code: "source-incomplete" };
    await store.points.append(staged("file", [sample("a", 1)]));
    const publish = (batches: number) => store.points.publish(published("file"), [], batches);
    await expect(publish(2)).rejects.toMatchObject(incomplete);
    await store.points.discard("run", "file");
    await expect(publish(1)).rejects.toMatchObject(incomplete);
    expect(await store.points.sources("run")).toEqual([]);
    await store.points.append(staged("file", [sample("a", 1)]));
    expect(await publish(1)).toEqual({ duplicate: false });
    expect(await publish(1)).toEqual({ duplicate: true });
    expect(await requestsByLabel(store)).toEqual([["a", 1]]);
  });

  test("a published source takes its own batches as duplicates and no further ones", async () => {
    const store = await openWithRun();
    await store.points.append(staged("file", [sample("a", 1)]));
    await store.points.publish(published("file"));
    expect(await store.points.append(staged("file", [sample("a", 1)]))).toEqual({
      duplicate: true,
    });
    await expect(store.points.append(staged("file", [sample("a", 2)], 1))).rejects.toMatchObject({
      code: "sequence-reused",
    });
    expect(await requestsByLabel(store)).toEqual([["a", 1]]);
  });

  test("a source is published once, whatever bytes it is said to be of", async () => {
    const store = await openWithRun();
    await store.points.append(staged("file", [sample("a", 1)]));
    await store.points.publish(published("file"));
    const { digest } = published("another");
    for (const replaces of [[], ["file"]]) {
      const publish = store.points.publish({ ...published("file"), digest }, replaces);
      await expect(publish).rejects.toMatchObject({ code: "source-incomplete" });
    }
    expect(await requestsByLabel(store)).toEqual([["a", 1]]);
    expect(await store.points.sources("run")).toEqual([published("file")]);
  });

  test("a file without requests is a source like others", async () => {
    const store = await openWithRun();
    await store.points.publish(published("empty"));
    expect(await store.points.sources("run")).toEqual([published("empty")]);
    expect(await stored(store)).toEqual([]);
  });

  test("writing to an unknown load test is refused", async () => {
    const store = await open();
    const refused = { code: "unknown-load-test" };
    await expect(store.points.append(batchOf([]))).rejects.toMatchObject(refused);
    await expect(store.points.publish(published("file"))).rejects.toMatchObject(refused);
    expect(await store.points.sources("run")).toEqual([]);
  });
}

function chained(sequence: number, follows: number | "nothing"): PointBatch {
  return batchOf([sample("a", 1 + sequence)], { sequence, follows });
}

function staged(sourceId: string, samples: readonly LabelledSample[], sequence = 0): PointBatch {
  return batchOf(samples, { sourceId, visibility: "staged", sequence });
}
