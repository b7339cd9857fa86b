import { afterEach, expect, test } from "vitest";
import { batchOf, sample } from "../../test/support/batches.ts";
import { storeNights } from "../../test/support/nightly-load-tests.ts";
import { createTestServer, type TestServer } from "../../test/support/test-server.ts";

const NIGHTS = 8;
let world: TestServer & { readonly summarised: string[] };
afterEach(() => world.server.close());

/** A server with `nightly-0` to `nightly-7` that records which runs are read. */
async function serve(): Promise<void> {
  const made = await createTestServer();
  await storeNights(made.store, { nights: NIGHTS, slowerFrom: 4 });
  const summarised: string[] = [];
  const { points } = made.store;
  const snapshot = points.snapshot.bind(points);
  points.snapshot = async (id) => {
    const opened = await snapshot(id);
    if (opened === undefined) return undefined;
    const index = opened.index.bind(opened);
    opened.index = () => {
      summarised.push(id);
      return index();
    };
    return opened;
  };
  world = Object.assign(made, { summarised });
}

function ask(query = "name=checkout", headers: Record<string, string> = {}) {
  const url = `/Api/Trend?${query}`;
  return world.ask(url, { headers });
}

/** The status for a client that sends this entity tag. */
async function statusFor(tag: unknown, query?: string): Promise<number> {
  return (await ask(query, { "if-none-match": String(tag) })).statusCode;
}

const baseline = (id: string) => world.store.loadTests.update(id, { addedTags: ["baseline"] });

/** How many runs a trend of the last two leaves out. */
async function leftOut(): Promise<number> {
  return (await ask("name=checkout&last=2")).json().leftOut.loadTests;
}

/** Where a series begins, and why. */
async function beginOf(query: string) {
  const { since, baseline: pinned, loadTests } = (await ask(query)).json();
  return { since, pinned, first: loadTests[0].id };
}

/** What another answer must follow from. */
const CHANGES: readonly (readonly [what: string, change: () => Promise<unknown>])[] = [
  [
    "data of one of them",
    () =>
      world.store.points.append(
        batchOf([sample("cart", 1_700_000_100)], { loadTestId: "nightly-0", sequence: 1 }),
      ),
  ],
  ["one of them deleted", () => world.store.loadTests.delete("nightly-3")],
  [
    "one more",
    () => world.store.loadTests.create({ id: "more", name: "checkout", createdAtMs: 1 }),
  ],
  ["one renamed", () => world.store.loadTests.update("nightly-5", { name: "elsewhere" })],
  ["a baseline set", () => baseline("nightly-2")],
];

test.each(CHANGES)("a cached trend is not modified until there is %s", async (_, change) => {
  await serve();
  const first = await ask();
  const { etag } = first.headers;
  expect(first.statusCode).toBe(200);
  expect(etag).toMatch(/^"[\w-]{22}"$/);
  expect(await statusFor(etag)).toBe(304);
  const again = await ask();
  expect(again.body).toBe(first.body);
  // Each load test was read once.
  expect(world.summarised).toHaveLength(NIGHTS);
  await change();
  expect(await statusFor(etag)).toBe(200);
  const changed = await ask();
  expect(changed.headers.etag).not.toBe(etag);
  expect(changed.body).not.toBe(first.body);
  expect(await statusFor(changed.headers.etag)).toBe(304);
});

test("a load test outside the series changes nothing", async () => {
  await serve();
  const { headers } = await ask();
  await world.store.loadTests.update("other", { tags: ["x"] });
  await world.store.points.append(
    batchOf([sample("cart", 9)], { loadTestId: "other", sequence: 1 }),
  );
  expect(await statusFor(headers.etag)).toBe(304);
});

test("other parameters give another response", async () => {
  await serve();
  await baseline("nightly-2");
  const { headers } = await ask();
  for (const query of ["last=3", "filter=cart", "ignoreBaseline=true", "since=nightly-4"]) {
    expect(await statusFor(headers.etag, `name=checkout&${query}`)).toBe(200);
  }
});

test("what is left out is part of the response", async () => {
  await serve();
  const { headers } = await ask("name=checkout&last=2");
  await world.store.loadTests.create({ id: "early", name: "checkout", createdAtMs: 1 });
  expect(await statusFor(headers.etag, "name=checkout&last=2")).toBe(200);
  expect((await ask("name=checkout&last=2")).json().leftOut.loadTests).toBe(NIGHTS - 1);
});

test("a superseded response is not reused after a revert", async () => {
  await serve();
  const { loadTests } = world.store;
  const list = loadTests.list.bind(loadTests);
  let lists = 0;
  loadTests.list = async (query) => {
    lists += 1;
    // The cache key is computed, and then another run is created.
    if (lists === 2) await loadTests.create({ id: "early", name: "checkout", createdAtMs: 1 });
    return list(query);
  };
  expect(await leftOut()).toBe(NIGHTS - 1);
  await loadTests.delete("early");
  expect(await leftOut()).toBe(NIGHTS - 2);
});

test("the history begins at the baseline, or before it on request", async () => {
  await serve();
  await baseline("nightly-2");
  const pinned = "nightly-2";
  expect(await beginOf("name=checkout")).toEqual({ since: pinned, pinned, first: pinned });
  expect(await beginOf("name=checkout&ignoreBaseline=true")).toEqual({
    pinned,
    first: "nightly-0",
  });
  expect(await beginOf("name=checkout&since=nightly-5")).toEqual({
    since: "nightly-5",
    pinned,
    first: "nightly-5",
  });
  expect(await beginOf("tag=even")).toEqual({ first: "nightly-0" });
});

test.each([
  ["", 400, "bad-parameter"],
  ["name=checkout&ignoreBaseline=yes", 400, "bad-parameter"],
  ["name=no", 404, "unknown-load-test"],
])("%j is refused", async (query, status, code) => {
  await serve();
  const answer = await ask(query);
  expect(answer.statusCode).toBe(status);
  expect(answer.json().type).toContain(code);
});
