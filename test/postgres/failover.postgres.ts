/** A standby that takes over may lack the last transactions, among them the numbers of labels; a primary may stand still. */

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Client } from "pg";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { openPostgresStore } from "../../src/store/postgres/store.ts";
import type { Store } from "../../src/store/store.ts";
import {
  batchOf,
  collect,
  expectedSeries,
  published,
  sample,
  seriesIn,
  stored,
} from "../support/batches.ts";
import { loadTest } from "../support/load-tests.ts";
import { type PostgresServer, startServer } from "./server.ts";

const FORGET = "DELETE FROM endpoints WHERE number > 0";
const OWN = "WHERE application_name = 'tachograph'";
const CUT = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity ${OWN}`;
const IS_WAITING = "SELECT count(*) > 0 AS is FROM pg_locks WHERE NOT granted";
const [kept, lost] = [sample("a", 1, 7), sample("b", 2, 8)];
const next = [sample("c", 3, 9), sample("d", 3, 10)];

let server: PostgresServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

async function openStore(url: string): Promise<Store> {
  const store = await openPostgresStore(url, { now: Date.now });
  onTestFinished(() => store.close());
  return store;
}

async function publishAndClose(
  store: Store,
  file: string,
  replaces: readonly string[],
): Promise<void> {
  const about = { sourceId: file, visibility: "staged" } as const;
  await store.points.append(batchOf([sample("a", 1, file.length)], about));
  await store.points.publish(published(file), replaces);
  await store.close();
}

/** A store with a load test without data, and a copy of its database. */
async function beginWithCopy(): Promise<{ url: string; standby: string; store: Store }> {
  const url = await server.create();
  const early = await openStore(url);
  await early.loadTests.create(loadTest("run"));
  await early.close();
  const standby = await server.copy(url);
  const store = await openStore(url);
  return { url, standby, store };
}

async function begin(): Promise<{ url: string; store: Store; client: Client }> {
  const url = await server.create();
  const store = await openStore(url);
  await store.loadTests.create(loadTest("run"));
  await store.points.append(batchOf([kept], { sequence: 0 }));
  const client = new Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  return { url, store, client };
}

test("a label whose number is lost after it was given, and before its points are stored, gets another one", async () => {
  const { url, store, client } = await begin();
  await client.query("BEGIN");
  await client.query("LOCK TABLE sources");
  const appending = store.points.append(batchOf(next, { sequence: 1 }));
  await isTrue(client, "SELECT count(*) = 3 AS is FROM endpoints");
  await isTrue(client, IS_WAITING);
  await client.query(FORGET);
  await client.query(CUT);
  await client.query("COMMIT");
  expect(await appending).toMatchObject({ duplicate: false });
  await expectStored(url);
});

test.each(["while no connection is in use", "while another number is given"])(
  "a number lost %s is given once more, and leaves no gap",
  async (when) => {
    const { url, store, client } = await begin();
    // Its label gets a number, and nothing else is stored.
    await expect(store.points.append(batchOf([lost], { sequence: 0 }))).rejects.toMatchObject({
      code: "sequence-reused",
    });
    const append = () => store.points.append(batchOf(next, { sequence: 1 }));
    await client.query("BEGIN");
    // Who reads passes this lock, and who numbers labels waits for it.
    await client.query("LOCK TABLE load_tests IN EXCLUSIVE MODE");
    await client.query(FORGET);
    const isIdle = when === "while no connection is in use";
    const early = isIdle ? undefined : append();
    if (!isIdle) await isTrue(client, IS_WAITING);
    await client.query(CUT);
    await client.query("COMMIT");
    if (isIdle) {
      // The store hears of it in its own time.
      await isTrue(client, `SELECT count(*) = 0 AS is FROM pg_stat_activity ${OWN}`);
      await delay(100);
    }
    await (early ?? append());
    const { rows } = await client.query("SELECT number FROM endpoints ORDER BY number");
    expect(rows).toEqual([{ number: 0 }, { number: 1 }, { number: 2 }]);
    await expectStored(url);
  },
);

test("blocks that got the numbers of lost ones are read, and not those", async () => {
  const url = await server.create();
  const early = await openStore(url);
  await early.loadTests.create(loadTest("run"));
  await early.points.append(batchOf([kept], { sequence: 0 }));
  await early.close();
  const standby = await server.copy(url);
  const store = await openStore(url);
  await store.points.append(batchOf([sample("c", 2, 5), sample("d", 2, 6)], { sequence: 1 }));
  expect((await stored(store)).map(([label]) => label)).toEqual(["a", "c", "d"]);
  await server.replace(url, standby);
  await store.points.append(batchOf(next, { sequence: 1 }));
  expect(await stored(store)).toEqual(expectedSeries([kept, ...next]));
  await expectStored(url);
});

test("series merged from blocks that are lost are not those of the blocks with their numbers", async () => {
  const { url, standby, store } = await beginWithCopy();
  const gone = await appendMany(store, 5);
  expect(await stored(store)).toEqual(expectedSeries(gone));
  const other = await openStore(standby);
  const there = await appendMany(other, 9);
  await other.close();
  await server.replace(url, standby);
  expect(await stored(store)).toEqual(expectedSeries(there));
});

test("a standby that is behind the one before gives no earlier blocks for the present ones", async () => {
  const url = await server.create();
  const early = await openStore(url);
  await early.loadTests.create(loadTest("run"));
  await publishAndClose(early, "short", []);
  const standby = await server.copy(url);
  await publishAndClose(await openStore(url), "longer", ["short"]);
  const reader = await openStore(`${url}?target_session_attrs=any`);
  const snapshot = await reader.points.snapshot("run");
  await server.replace(url, standby);
  const busy = { code: "busy" };
  await expect(snapshot?.sources()).rejects.toMatchObject(busy);
  await expect(snapshot?.reported("longer")).rejects.toMatchObject(busy);
  await expect(snapshot?.samples()).rejects.toMatchObject(busy);
  await expect(snapshot && seriesIn(snapshot)).rejects.toMatchObject(busy);
  expect(await stored(reader)).toEqual(expectedSeries([sample("a", 1, "short".length)]));
});

test("a read is given up as busy if the next server has gone on from before what it reads", async () => {
  const { url, standby, store } = await beginWithCopy();
  await store.points.append(batchOf([kept], { sequence: 0 }));
  const snapshot = await store.points.snapshot("run");
  const client = new Client({ connectionString: standby });
  await client.connect();
  await client.query("UPDATE load_tests SET latest_revision = latest_revision + 100000000000");
  await client.end();
  await server.replace(url, standby);
  await expect(snapshot && seriesIn(snapshot)).rejects.toMatchObject({ code: "busy" });
});

test("blocks merged from a server that is lost replace none of the next one with their numbers", async () => {
  const lostServer = await startServer();
  onTestFinished(() => lostServer.stop());
  const [second, first] = await twins(lostServer);
  for (const [url, micros] of [
    [first, 5],
    [second, 9],
  ] as const) {
    const early = await openStore(url);
    await early.loadTests.create(loadTest("run"));
    await early.points.append(batchOf(samplesOf(0, micros), { sequence: 0 }));
    await early.close();
  }
  const store = await openStore(first.replace(/(?<=@)[^/]+/u, `$&,${new URL(second).host}`));
  const client = new Client({ connectionString: first });
  client.on("error", () => undefined);
  await client.connect();
  await client.query("BEGIN");
  await client.query("LOCK TABLE load_tests IN EXCLUSIVE MODE");
  const downsampling = store.points.downsample("run");
  await isTrue(client, IS_WAITING);
  await lostServer.stop();
  expect(await downsampling).toBe(false);
  expect(await stored(await openStore(second))).toEqual(expectedSeries(samplesOf(0, 9)));
  expect(await store.points.downsample("run")).toBe(true);
});

test("a server that takes over an address is noticed while connections to the other one are open", async () => {
  const other = await startServer();
  onTestFinished(() => other.stop());
  const [url, second] = await twins(other);
  const numbered = await openStore(second);
  await numbered.loadTests.create(loadTest("run"));
  await numbered.points.append(batchOf([kept, sample("x", 1, 5)], { sequence: 0 }));

  const place = path.join(mkdtempSync(path.join(tmpdir(), "address-")), "now");
  onTestFinished(() => rmSync(path.dirname(place), { recursive: true }));
  symlinkSync(directoryOf(url), place);
  const store = await openStore(url.replace(new URL(url).host, encodeURIComponent(place)));
  await store.loadTests.create(loadTest("run"));
  await store.points.append(batchOf([kept, lost], { sequence: 0 }));
  rmSync(place);
  symlinkSync(directoryOf(second), place);
  await Promise.all([
    store.loadTests.find("run"),
    store.points.append(batchOf([lost], { sequence: 1 })),
  ]);
  expect(await stored(await openStore(second))).toEqual(
    expectedSeries([kept, lost, sample("x", 1, 5)]),
  );
});

test("a server that stands still is left for the next one within 18 s", async () => {
  const other = await startServer();
  onTestFinished(() => other.stop());
  const urls = await twins(other);
  for (const [at, url] of urls.entries()) {
    const store = await openStore(url);
    await store.loadTests.create({ ...loadTest("run"), name: `server ${at}` });
  }
  const [first = "", second = ""] = urls.map((url) => new URL(url).host);
  const store = await openStore(urls[0].replace(first, `${first},${second}`));
  expect(await store.loadTests.find("run")).toMatchObject({ name: "server 0" });
  signal("STOP");
  onTestFinished(() => signal("CONT"));
  const began = performance.now();
  expect(await store.loadTests.find("run")).toMatchObject({ name: "server 1" });
  expect(performance.now() - began).toBeLessThan(18_000);
}, 60_000);

/** Databases of the same name, as of a primary and what takes over from it. */
async function twins(other: PostgresServer): Promise<[string, string]> {
  const urls: [string, string] = [await server.create(), await other.create()];
  while (path.basename(urls[1]) !== path.basename(urls[0])) urls[1] = await other.create();
  return urls;
}

function directoryOf(url: string): string {
  return decodeURIComponent(new URL(url).host);
}

function signal(name: string): void {
  process.kill(server.pid, `SIG${name}`);
  execFileSync("pkill", [`-${name}`, "-P", String(server.pid)]);
}

async function isTrue(client: Client, question: string): Promise<void> {
  while ((await client.query<{ is: boolean }>(question)).rows[0]?.is !== true) await delay(10);
}

/** Enough for a block that is not merged any further. */
const BATCH_SECONDS = 300;
const BATCHES = 10;

function samplesOf(sequence: number, micros: number) {
  return Array.from({ length: BATCH_SECONDS }, (_, at) =>
    sample("a", 60 + sequence * BATCH_SECONDS + at, micros),
  );
}

/** Two sources with several batches, whose series are merged and kept once they are read. Returns the samples. */
async function appendMany(store: Store, micros: number) {
  const all = [];
  for (let sequence = 0; sequence < BATCHES; sequence++) {
    for (const sourceId of ["one", "two"]) {
      const samples = samplesOf(sequence, micros);
      await store.points.append(batchOf(samples, { sourceId, sequence }));
      all.push(...samples);
    }
  }
  return all;
}

/** As a process sees it that has nothing in its memory. */
async function expectStored(url: string): Promise<void> {
  const reader = await openStore(url);
  expect(await stored(reader)).toEqual(expectedSeries([kept, ...next]));
  expect(await collect(reader.verify())).toEqual([]);
}
