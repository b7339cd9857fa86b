import { expect, test } from "vitest";
import type { LoadTestQuery } from "../../../src/model/load-test.ts";
import type { Store } from "../../../src/store/store.ts";
import { batchOf, COMPLETE, sample } from "../../support/batches.ts";
import { loadTest } from "../../support/load-tests.ts";
import type { OpenEmptyStore } from "../store.ts";

const SECOND = 1_700_000_000;
const FILE = {
  sourceId: "file",
  name: "a.jtl",
  format: "jmeter-csv",
  sizeBytes: 7,
  digest: `gmac:${"0".repeat(32)}`,
  quality: COMPLETE,
};

/** A store shared by nobody's load tests and those of two projects. */
async function openParts(open: OpenEmptyStore) {
  const store = await open();
  const parts = [undefined, "web", "web2"].map((project) => store.within({ project }));
  const [none, web, web2] = parts as [Store, Store, Store];
  return { store, none, web, web2, parts };
}

async function ids(part: Store, query: LoadTestQuery = {}): Promise<readonly string[]> {
  return (await part.loadTests.list(query)).map(({ id }) => id);
}

async function labels(part: Store, id: string): Promise<readonly string[] | undefined> {
  const snapshot = await part.points.snapshot(id);
  if (snapshot === undefined) return undefined;
  const index = await snapshot.index();
  const endpoints = await index.named(index.numbers);
  snapshot.release();
  return endpoints.map(({ label }) => label);
}

export function projectsConform(open: OpenEmptyStore): void {
  test("projects can use the same id, and read and change their own load test alone", async () => {
    const { parts, none, web, web2 } = await openParts(open);
    for (const [number, { loadTests, points }] of parts.entries()) {
      await loadTests.create(loadTest("run"));
      await points.append(batchOf([sample(`GET /${number}`, SECOND + number)]));
    }
    expect(await Promise.all(parts.map((part) => labels(part, "run")))).toEqual([
      ["GET /0"],
      ["GET /1"],
      ["GET /2"],
    ]);
    await web.loadTests.update("run", { name: "changed", addedTags: ["a"] });
    expect(await none.loadTests.list({ tag: "a" })).toEqual([]);
    expect(await web.loadTests.list()).toMatchObject([{ id: "run", name: "changed" }]);
    await web2.loadTests.delete("run");
    expect(await labels(web2, "run")).toBeUndefined();
    expect(await labels(none, "run")).toEqual(["GET /0"]);
    await expect(web.loadTests.create(loadTest("run"))).rejects.toMatchObject({
      code: "load-test-exists",
    });
  });

  test("no id leads into another project", async () => {
    const { store, none, web, web2 } = await openParts(open);
    await web.loadTests.create(loadTest("run"));
    for (const part of [none, web2]) {
      for (const id of ["run", "web/run", "/web/run", "../web/run", "web2/../web/run"]) {
        expect(await part.loadTests.find(id)).toBeUndefined();
        expect(await part.points.snapshot(id)).toBeUndefined();
        expect(await part.points.snapshotBySource(id)).toBeUndefined();
        expect(await part.points.sources(id)).toEqual([]);
        expect(await part.points.liveSources(id)).toEqual([]);
        const batch = { ...batchOf([sample("a", SECOND)]), loadTestId: id };
        for (const refused of [
          () => part.points.append(batch),
          () => part.loadTests.update(id, { pinned: true }),
          () => part.loadTests.delete(id),
        ]) {
          await expect(refused()).rejects.toMatchObject({ code: "unknown-load-test" });
        }
        await part.loadTests.deleteUnused(id);
      }
    }
    expect(await store.loadTests.list()).toEqual([]);
    expect(await web.loadTests.list()).toMatchObject([{ id: "run", pinned: false }]);
    expect(await store.scopes()).toEqual([{ project: "web" }]);
  });

  test("what senders need to go on is that of one project, and ends with its load test", async () => {
    const { none, web } = await openParts(open);
    const staging = web.within({ environment: "staging" });
    const states = [none.senderState("run"), web.senderState("run"), staging.senderState()];
    const texts = () => Promise.all(states.map((state) => state.find()));
    for (const part of [none, web]) await part.loadTests.create(loadTest("run"));
    expect(await texts()).toEqual([undefined, undefined, undefined]);
    for (const [at, state] of states.entries()) await state.keep(`state ${at}`);
    for (const part of [none, web]) expect(await part.thresholds.find("run")).toBeUndefined();
    await web.loadTests.delete("run");
    expect(await texts()).toEqual(["state 0", undefined, "state 2"]);
  });

  test("lists have the load tests of the project, page by page, and search neither others nor its name", async () => {
    const { none, web, web2 } = await openParts(open);
    for (let n = 0; n < 9; n++) {
      const part = [none, web, web2][n % 3] ?? none;
      await part.loadTests.create(loadTest(`run-${n}`, 1 + n));
    }
    expect(await ids(web)).toEqual(["run-7", "run-4", "run-1"]);
    expect(await ids(web, { limit: 2 })).toEqual(["run-7", "run-4"]);
    expect(await ids(web, { limit: 2, after: { id: "run-4", startedAtMs: 5 } })).toEqual(["run-1"]);
    expect(await ids(web, { search: "web" })).toEqual([]);
    expect(await ids(web, { search: "run-4" })).toEqual(["run-4"]);
    expect(await none.loadTests.list({ search: "web" })).toEqual([]);
  });

  test("the same content is recognised within a project", async () => {
    const { parts, web } = await openParts(open);
    for (const { loadTests, points } of parts) {
      await loadTests.create(loadTest("run"));
      const staged = { sourceId: "file", visibility: "staged" } as const;
      await points.append(batchOf([sample("a", SECOND)], staged));
      await points.publish({ loadTestId: "run", ...FILE });
    }
    const found = await web.points.findContent(FILE);
    expect(found).toMatchObject([{ loadTestId: "run", sourceId: "file" }]);
    expect(await web.points.sources("run")).toMatchObject([{ loadTestId: "run" }]);
  });

  test("what a judge has begun belongs to a project", async () => {
    const { none, web } = await openParts(open);
    expect(await web.judgeNotes.find()).toBeUndefined();
    for (const text of ["first", "second"]) await web.judgeNotes.keep(text);
    expect(await none.judgeNotes.find()).toBeUndefined();
    expect(await web.judgeNotes.find()).toBe("second");
    await web.judgeNotes.keep(undefined);
    expect(await web.judgeNotes.find()).toBeUndefined();
  });

  test("notes of notices belong to a project, and one of several writers replaces them", async () => {
    const { none, web } = await openParts(open);
    await web.judgeNotes.keep("other");
    expect(await web.noticeNotes.replace("something", "first")).toBe(false);
    const first = ["one", "another"].map((text) => web.noticeNotes.replace(undefined, text));
    expect((await Promise.all(first)).filter(Boolean)).toEqual([true]);
    const present = await web.noticeNotes.find();
    const second = ["x", "y", "z"].map((text) => web.noticeNotes.replace(present, text));
    expect((await Promise.all(second)).filter(Boolean)).toEqual([true]);
    expect(["x", "y", "z"]).toContain(await web.noticeNotes.find());
    expect(await none.noticeNotes.find()).toBeUndefined();
    expect(await web.judgeNotes.find()).toBe("other");
  });

  test("hours of an environment are in its scope alone, and found by time", async () => {
    const { store, web } = await openParts(open);
    const staging = web.within({ environment: "staging" });
    await web.loadTests.create(loadTest("run"));
    for (const hour of [7200, 0, 3600]) {
      await staging.loadTests.create({ ...loadTest(`hour ${hour}`), hour });
    }
    await staging.points.append({ ...batchOf([sample("a", 1)]), loadTestId: "hour 0" });
    expect(await ids(web)).toEqual(["run"]);
    expect(await web.loadTests.find("hour 0")).toBeUndefined();
    expect(await web.points.snapshot("hour 0")).toBeUndefined();
    expect((await ids(staging)).toSorted()).toEqual(["hour 0", "hour 3600", "hour 7200"]);
    expect(await ids(staging, { hours: { from: 1, until: 7200 } })).toEqual(["hour 3600"]);
    expect(await staging.loadTests.find("hour 3600")).toMatchObject({ hour: 3600 });
    expect(await labels(staging, "hour 0")).toEqual(["a"]);
    for (const other of [store, web.within({ environment: "prod" })]) {
      expect(await ids(other)).toEqual([]);
      expect(await other.loadTests.find("hour 0")).toBeUndefined();
    }
    expect(await store.scopes()).toEqual([
      { project: "web" },
      { project: "web", environment: "staging" },
    ]);
  });

  test("thresholds belong to a project", async () => {
    const { parts, none, web2 } = await openParts(open);
    for (const [number, { thresholds }] of parts.entries()) {
      await thresholds.keep("shop", `text ${number}`);
    }
    await web2.thresholds.keep("shop", undefined);
    expect(await Promise.all(parts.map(({ thresholds }) => thresholds.find("shop")))).toEqual([
      "text 0",
      "text 1",
      undefined,
    ]);
    expect(await none.thresholds.find("web\u001Fshop")).toBeUndefined();
  });
}
