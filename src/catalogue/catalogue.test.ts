import { expect, test } from "vitest";
import { openMemoryStore } from "../../test/support/memory-store/memory-store.ts";
import type { LoadTestChanges } from "../api/load-tests.ts";
import { type Catalogue, openCatalogue } from "./catalogue.ts";

const NOW_MS = 1_800_000_000_000;

function open(): Catalogue {
  let atMs = NOW_MS;
  let ids = 0;
  const store = openMemoryStore();
  return openCatalogue({ ...store, now: () => atMs++, createLoadTestId: () => `new-${++ids}` });
}

test("a load test can be created without fields: it gets a new id, which is also its name", async () => {
  const catalogue = open();
  expect(await catalogue.create({})).toMatchObject({ id: "new-1", name: "new-1", pinned: false });
  expect(await catalogue.create({ id: "a", name: "A", tags: ["y", "x"], pinned: true })).toEqual({
    id: "a",
    name: "A",
    tags: ["x", "y"],
    pinned: true,
    properties: {},
    links: {},
    createdAtMs: NOW_MS + 1,
    finishedAtMs: undefined,
    lastDataAtMs: undefined,
    endpoints: 0,
    requests: 0,
    failedRequests: 0,
    from: undefined,
    until: undefined,
    secondsPerPoint: 1,
    formats: [],
  });
  expect(await catalogue.create({ id: "b", environment: "staging" })).toMatchObject({
    environment: "staging",
  });
  expect((await catalogue.change("b", { environment: null })).environment).toBeUndefined();
});

test("pages continue to the end, latest start first", async () => {
  const catalogue = open();
  for (const id of ["a", "b.c", "d", "e"]) await catalogue.create({ id });
  const pages: string[][] = [];
  let after: string | undefined;
  do {
    const page = await catalogue.list({ limit: 2, after });
    pages.push(page.loadTests.map(({ id }) => id));
    after = page.next;
  } while (after !== undefined);
  expect(pages).toEqual([
    ["e", "d"],
    ["b.c", "a"],
  ]);
  expect((await catalogue.list({})).loadTests).toHaveLength(4);
});

test.each(["", "x", "1", "1.", "1.a b", ".a", "12345678901234567.a"])(
  "%j is not a valid cursor",
  async (after) => {
    await expect(open().list({ after })).rejects.toMatchObject({ code: "bad-parameter" });
  },
);

test("finished records the time once, until the run resumes", async () => {
  const catalogue = open();
  await catalogue.create({ id: "a" });
  const { finishedAtMs } = await catalogue.change("a", { finished: true });
  expect(finishedAtMs).toBe(NOW_MS + 1);
  expect(await catalogue.change("a", { finished: true })).toMatchObject({ finishedAtMs });
  expect((await catalogue.change("a", { finished: false })).finishedAtMs).toBeUndefined();
});

test.each<[LoadTestChanges, string]>([
  [{ name: " " }, "cannot name a run"],
  [{ tags: [""] }, "cannot tag a run"],
  [{ tags: ["a,b"] }, "cannot tag a run"],
  [{ addTags: [" a"] }, "cannot tag a run"],
  [{ addTags: ["a\n"] }, "cannot tag a run"],
  [{ addTags: ["x".repeat(65)] }, "cannot tag a run"],
  [{ addTags: ["\ud800"] }, "cannot tag a run"],
  [{ environment: "a/b" }, 'cannot use "a/b" as an environment: expected 1 to 60 of'],
  [{ tags: Array.from({ length: 51 }, (_, at) => `tag ${at}`) }, "51 tags: expected at most 50"],
])("a change to %j is refused and changes nothing", async (request, message) => {
  const catalogue = open();
  const before = await catalogue.create({ id: "a", tags: ["x"] });
  await expect(catalogue.change("a", { pinned: true, ...request })).rejects.toMatchObject({
    code: "bad-parameter",
    message: expect.stringContaining(message),
  });
  expect((await catalogue.show("a")).loadTest).toEqual(before);
});

test("an unknown load test is rejected by name", async () => {
  const catalogue = open();
  const refused = { code: "unknown-load-test", message: 'there is no run "a\\"b"' };
  await expect(catalogue.show('a"b')).rejects.toMatchObject(refused);
  await expect(catalogue.change('a"b', {})).rejects.toMatchObject(refused);
  await expect(catalogue.delete('a"b')).rejects.toMatchObject(refused);
});
