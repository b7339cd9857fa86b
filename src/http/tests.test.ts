import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, expect, test } from "vitest";
import type { Digests, Tests } from "../api/tests.ts";
import { openSqliteStore } from "../store/sqlite/store.ts";
import { FIRST_NIGHT, storeNights } from "../../test/support/nightly-load-tests.ts";
import { createTestServer } from "../../test/support/test-server.ts";
import { loadTest } from "../../test/support/load-tests.ts";

const world = await createTestServer();
afterAll(() => world.server.close());
await storeNights(world.store, { nights: 24, slowerFrom: 16 });

async function answerTo(query = ""): Promise<Tests> {
  return (await world.ask(`/Api/Tests?${query}`)).json();
}

async function complete(query = ""): Promise<Tests> {
  await expect
    .poll(async () => (await answerTo(query)).tests.map(({ state }) => state), { timeout: 10_000 })
    .not.toContain("pending");
  return await answerTo(query);
}

test("a test has its last 20 runs, and says which endpoint is slower since which run", async () => {
  const { tests, leftOut } = await complete();
  expect(tests.map(({ name, loadTests, state }) => [name, loadTests, state])).toEqual([
    ["checkout again", 1, "short"],
    ["checkout", 24, "worse"],
    ["name of run", 1, "short"],
  ]);
  expect(leftOut).toEqual({ tests: 0, hasOlder: false });
  const checkout = tests[1];
  expect(checkout?.runs.map(({ id }) => id)).toEqual(
    Array.from({ length: 20 }, (_, at) => `nightly-${at + 4}`),
  );
  expect(checkout?.runs[0]).toMatchObject({ startedAt: FIRST_NIGHT + 4 * 86_400, requests: 60 });
  // `cart` takes 1.5 times as long from night 16 on, and `pay` stays.
  expect(checkout?.changes).toMatchObject([{ loadTestId: "nightly-16", label: "cart" }]);
  expect(checkout?.changes[0]?.change).toBeCloseTo(0.5, 1);
  // The 57th of 60: 100 ms and 0.3 ms more for each request before it; of `cart` 1.5 times that, with the noise of the night.
  expect(checkout?.runs.at(-1)?.p95).toBeCloseTo(0.117 * 1.5 * (1 + ((23 * 7) % 5) / 100), 2);
});

test("what was accepted by a baseline is no change any more, and what is over neither", async () => {
  await world.store.loadTests.update("nightly-17", {
    addedTags: ["baseline", "thresholds-failed"],
  });
  const [found] = (await complete("search=KOUT&limit=2")).tests.slice(1);
  expect(found).toMatchObject({ name: "checkout", state: "steady", changes: [] });
  expect(found?.runs.find(({ id }) => id === "nightly-17")).toMatchObject({ verdict: "failed" });
  const over = await createTestServer();
  await storeNights(over.store, { nights: 24, slowerFrom: 8, slowerUntil: 16 });
  const ask = async (): Promise<Tests> => (await over.ask("/Api/Tests?search=checkout")).json();
  await expect.poll(async () => (await ask()).tests[1]?.state).toBe("better");
  expect((await ask()).tests[1]?.changes).toMatchObject([
    { loadTestId: "nightly-16", label: "cart" },
  ]);
  await over.server.close();
});

test("tests beyond the limit are counted, and new data is seen", async () => {
  expect(await answerTo("limit=1")).toMatchObject({
    tests: [{ name: "checkout again" }],
    leftOut: { tests: 2 },
  });
  await world.store.loadTests.create({ ...loadTest("later", 1_900_000_000_000), name: "newest" });
  expect((await complete()).tests[0]).toMatchObject({
    name: "newest",
    runs: [{ id: "later", requests: 0, p95: null, errRate: null }],
  });
});

test("a digest has the p95, and the requests of a run in at most 65 points", async () => {
  const headers = { "x-service-auth": world.key };
  const ask = async (): Promise<Digests> =>
    (await world.server.inject({ url: "/Api/Digests?runs=nightly-0,none,later", headers })).json();
  await expect.poll(async () => (await ask()).isComplete).toBe(true);
  const { digests } = await ask();
  // 20 seconds of 3 requests each, none of which fails.
  expect(digests.map(({ id, p95 }) => [id, p95 === null])).toEqual([
    ["nightly-0", false],
    ["later", true],
  ]);
  expect(digests[0]).toMatchObject({
    resolution: 1,
    count: Array.from({ length: 20 }, () => 3),
    errCount: Array.from({ length: 20 }, () => 0),
  });
  expect(digests[0]?.p95).toBeCloseTo(0.1168, 3);
  expect(digests[1]).toMatchObject({ labels: [], count: [] });
  const many = Array.from({ length: 101 }, (_, at) => `r${at}`).join();
  const refused = await world.server.inject({ url: `/Api/Digests?runs=${many}`, headers });
  expect([refused.statusCode, refused.json().detail]).toEqual([
    400,
    "runs: expected at most 100 ids, got 101",
  ]);
});

test("a link shows tests and digests of its own runs alone, stored ones too", async () => {
  const name = "one";
  const made = await world.ask("/Api/Links", {
    method: "POST",
    key: await world.makeKey("read", "write"),
    payload: { name, loadTestId: "nightly-1" },
  });
  const { key } = made.json();
  expect(made.body).toContain("path");
  const ask = async (url: string) => (await world.ask(url, { key })).json();
  const { digests }: Digests = await ask("/Api/Digests?runs=nightly-0,nightly-1");
  expect(digests.map(({ id }) => id)).toEqual(["nightly-1"]);
  const { tests }: Tests = await ask("/Api/Tests");
  expect(tests.map(({ runs }) => runs.map(({ id }) => id))).toEqual([["nightly-1"]]);
});

test("a damaged run is named, and everything else answered", async () => {
  const directory = mkdtempSync(path.join(tmpdir(), "tachograph-damaged-run-"));
  const file = path.join(directory, "store.db");
  const first = await openSqliteStore(file, { now: Date.now });
  await storeNights(first, { nights: 8, slowerFrom: 8 });
  await first.close();
  const database = new DatabaseSync(file);
  const flipped = "CAST(substr(plain, 1, 9) || x'f3' || substr(plain, 11) AS BLOB)";
  database.exec(`UPDATE segments SET plain = ${flipped} WHERE block IN (SELECT blocks.number
    FROM blocks, load_tests WHERE blocks.load_test = load_tests.number AND id = 'nightly-3')`);
  database.close();
  const damaged = await createTestServer({ store: await openSqliteStore(file, { now: Date.now }) });
  const ask = async (url: string) => (await damaged.ask(url)).json();
  const of = async (): Promise<Tests["tests"][number] | undefined> =>
    (await ask("/Api/Tests?search=checkout")).tests.find(
      ({ name }: { name: string }) => name === "checkout",
    );
  await expect.poll(async () => (await of())?.state).toBe("steady");
  const found = await of();
  expect(found?.unread).toMatchObject([{ id: "nightly-3", message: expect.any(String) }]);
  expect(found?.runs.flatMap(({ id, p95 }) => (p95 === null ? [id] : []))).toEqual(["nightly-3"]);
  const digests: Digests = await ask("/Api/Digests?runs=nightly-2,nightly-3,nightly-4");
  expect(digests.digests.map(({ id }) => id)).toEqual(["nightly-2", "nightly-4"]);
  expect(digests.unread).toMatchObject([{ id: "nightly-3" }]);
  await damaged.server.close();
  rmSync(directory, { recursive: true });
});
