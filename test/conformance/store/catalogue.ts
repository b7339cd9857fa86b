import { expect, test, vi } from "vitest";
import type { LoadTestSummary } from "../../../src/model/load-test.ts";
import type { Store } from "../../../src/store/store.ts";
import { batchOf, published, sample } from "../../support/batches.ts";
import { loadTest } from "../../support/load-tests.ts";

export function catalogueConforms(open: () => Promise<Store>): void {
  test("a load test is found by its id, which is exact", async () => {
    const { loadTests } = await open();
    await loadTests.create(loadTest("42"));
    expect(await loadTests.find("42")).toMatchObject(loadTest("42"));
    expect(await loadTests.find("042")).toBeUndefined();
    await loadTests.create(loadTest("042"));
    await loadTests.create(loadTest("Run"));
    await loadTests.create(loadTest("run"));
    expect(await loadTests.list()).toHaveLength(4);
  });

  test("what has an id with NUL does not exist, whoever asks for it", async () => {
    const store = await open();
    const { loadTests, points, files } = store;
    await loadTests.create(loadTest("run"));
    expect(await loadTests.find("run\0")).toBeUndefined();
    expect(await points.snapshot("run\0")).toBeUndefined();
    expect(await points.sources("\0")).toEqual([]);
    expect(await points.figures.find(["run", "\0"], "part")).toEqual(new Map());
    expect(await files.list("\0")).toEqual([]);
    expect(await files.find("run", "\0")).toBeUndefined();
    expect(await store.senderState("\0").find()).toBeUndefined();
    await files.remove("run", "\0");
    await loadTests.deleteUnused("run\0");
    const refused = { code: "unknown-load-test" };
    await expect(loadTests.delete("run\0")).rejects.toMatchObject(refused);
    await expect(loadTests.update("\0", { name: "a" })).rejects.toMatchObject(refused);
    expect(await loadTests.list()).toHaveLength(1);
  });

  test("an id can be used once, and again after the load test is deleted", async () => {
    const { loadTests } = await open();
    await loadTests.create(loadTest("run"));
    await expect(loadTests.create(loadTest("run"))).rejects.toMatchObject({
      code: "load-test-exists",
    });
    await loadTests.delete("run");
    expect(await loadTests.find("run")).toBeUndefined();
    await loadTests.create(loadTest("run", 2));
    expect(await loadTests.find("run")).toMatchObject(loadTest("run", 2));
  });

  test("what is not there can neither be changed nor deleted", async () => {
    const { loadTests } = await open();
    const refused = { code: "unknown-load-test", message: 'there is no run "run"' };
    await expect(loadTests.update("run", { name: "a" })).rejects.toMatchObject(refused);
    await expect(loadTests.delete("run")).rejects.toMatchObject(refused);
  });

  test("load tests without requests are listed by when they were made, equal times by id", async () => {
    const { loadTests } = await open();
    for (const [id, at] of Object.entries({ b: 5, old: 1, a: 5, newest: 9 })) {
      await loadTests.create(loadTest(id, at));
    }
    const listed = await loadTests.list();
    expect(listed.map(({ id }) => id)).toEqual(["newest", "a", "b", "old"]);
  });

  test("a load test without points is listed with zeros and no first and last second", async () => {
    const { loadTests } = await open();
    await loadTests.create(loadTest("run"));
    expect(await loadTests.list()).toEqual([
      {
        ...loadTest("run"),
        endpoints: 0,
        requests: 0,
        failedRequests: 0,
        from: undefined,
        until: undefined,
        lastDataAtMs: undefined,
        formats: [],
      },
    ]);
  });

  test("the list counts what is visible, and second 0 is neither first nor last", async () => {
    const store = await open();
    await store.loadTests.create(loadTest("run"));
    await store.points.append(
      batchOf([sample("b", 0), sample("a", 9), { ...sample("a", 7), failed: true }]),
    );
    await store.points.append(batchOf([sample("c", 1)], { sourceId: "f", visibility: "staged" }));
    const summary = { ...loadTest("run"), endpoints: 2, requests: 3, failedRequests: 1 };
    expect(await store.loadTests.list()).toMatchObject([{ ...summary, from: 7, until: 9 }]);
    await store.points.publish(published("f"));
    expect(await store.loadTests.list()).toMatchObject([
      { ...summary, endpoints: 3, requests: 4, from: 1, until: 9 },
    ]);
  });

  test("a duplicate is not counted, and what is replaced does not count any more", async () => {
    const store = await open();
    await store.loadTests.create(loadTest("run"));
    const first = batchOf([sample("a", 3), sample("b", 9)], {
      sourceId: "1",
      visibility: "staged",
    });
    await store.points.append(first);
    await store.points.append(first);
    await store.points.publish(published("1"));
    await store.points.append(batchOf([sample("a", 3)], { sourceId: "2", visibility: "staged" }));
    await store.points.publish(published("2"), ["1"]);
    expect(await store.loadTests.list()).toMatchObject([
      { endpoints: 1, requests: 1, failedRequests: 0, from: 3, until: 3 },
    ]);
  });

  test("a deleted load test takes its points and sources with it", async () => {
    const store = await open();
    await store.loadTests.create(loadTest("run"));
    const batch = batchOf([sample("a", 3)], { sourceId: "file", visibility: "staged" });
    await store.points.append(batch);
    await store.points.publish(published("file"));
    await store.loadTests.delete("run");
    expect(await store.points.snapshot("run")).toBeUndefined();
    expect(await store.points.sources("run")).toEqual([]);
    await expect(store.points.append(batch)).rejects.toMatchObject({ code: "unknown-load-test" });
    await store.loadTests.create(loadTest("run"));
    expect(await store.points.append(batch)).toMatchObject({ duplicate: false });
    expect(await store.loadTests.list()).toMatchObject([{ requests: 0, endpoints: 0 }]);
  });

  test("a load test is deleted only if it is due in the same step", async () => {
    const store = await open();
    const { loadTests } = store;
    await loadTests.create(loadTest("run"));
    await store.points.append(batchOf([sample("a", 3)]));
    const isDue = vi.fn<(found: LoadTestSummary) => boolean>(({ pinned }) => !pinned);
    const pinning = loadTests.update("run", { pinned: true });
    expect(await loadTests.deleteIf("run", isDue)).toBe(false);
    expect(isDue).toHaveBeenCalledWith(await pinning);
    expect(await loadTests.list()).toMatchObject([{ requests: 1 }]);
    await loadTests.update("run", { pinned: false });
    expect(await loadTests.deleteIf("run", isDue)).toBe(true);
    expect(await loadTests.deleteIf("run", isDue)).toBe(false);
    expect(await loadTests.list()).toEqual([]);
  });

  test("a load test is unused until it has a source, be it a staged one", async () => {
    const store = await open();
    await store.loadTests.create(loadTest("run"));
    const batch = batchOf([sample("a", 3)], { sourceId: "file", visibility: "staged" });
    await store.points.append(batch);
    await store.loadTests.deleteUnused("run");
    await store.points.publish(published("file"));
    await store.loadTests.deleteUnused("run");
    expect(await store.loadTests.list()).toMatchObject([{ requests: 1 }]);
    await store.loadTests.create(loadTest("empty"));
    await store.points.append({ ...batch, loadTestId: "empty" });
    await store.points.discard("empty", "file");
    await store.loadTests.deleteUnused("empty");
    await store.loadTests.deleteUnused("empty");
    expect(await store.loadTests.find("empty")).toBeUndefined();
  });

  test.each<[string, (store: Store) => Promise<unknown>]>([
    ["is pinned", (store) => store.loadTests.update("run", { pinned: true })],
    ["is finished", (store) => store.loadTests.update("run", { finishedAtMs: 5 })],
    [
      "has an event",
      (store) => store.loadTests.update("run", { addedEvents: [{ atMs: 5, text: "deployed" }] }),
    ],
    ["has an attachment", (store) => store.files.begin({ loadTestId: "run", name: "a" }).finish()],
  ])("a load test without data is in use if it %s", async (what, use) => {
    const store = await open();
    await store.loadTests.create(loadTest("run"));
    await use(store);
    await store.loadTests.deleteUnused("run");
    expect(await store.loadTests.find("run")).toBeDefined();
    expect(await store.files.list("run")).toHaveLength(what === "has an attachment" ? 1 : 0);
  });

  test("closing twice is once, and writes that have begun are waited for", async () => {
    const store = await open();
    await store.loadTests.create(loadTest("run"));
    const appended = store.points.append(batchOf([sample("a", 3)]));
    await store.close();
    await store.close();
    expect(await appended).toMatchObject({ duplicate: false });
  });
}
