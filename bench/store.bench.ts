/**
 * Times of the SQLite store: storing and reading 100 endpoints x 3,600 s, and live batches of 1,000
 * points from four senders. Run it with `npm run task bench:store`.
 */

import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { ALL_SECONDS } from "../src/model/columns.ts";
import type { Store } from "../src/store/store.ts";
import { openSqliteStore } from "../src/store/sqlite/store.ts";
import { densePoints } from "../test/support/dense-points.ts";
import { endpointsOf, published } from "../test/support/batches.ts";

const FIRST_SECOND = 1_790_000_000;
const BATCH_SECONDS = 900;
const ROUNDS = 7;
const LIVE_BATCHES = 200;
const LIVE_SENDERS = 4;

const directory = mkdtempSync(path.join(tmpdir(), "tachograph-bench-"));
const file = path.join(directory, "store.db");
try {
  await benchmark();
} finally {
  rmSync(directory, { recursive: true });
}

async function benchmark(): Promise<void> {
  const store = await openSqliteStore(file, { now: Date.now });
  const labels = Array.from({ length: 100 }, (_, index) => `GET /endpoint/${index * 7919}`);
  await store.loadTests.create({ id: "dense", name: "dense", createdAtMs: 1 });
  const batches = [0, 1, 2, 3].map((part) =>
    densePoints(
      {
        endpoints: 100,
        seconds: BATCH_SECONDS,
        requestsPerPoint: 14,
        firstSecond: FIRST_SECOND + part * BATCH_SECONDS,
      },
      part,
    ),
  );
  const source = { loadTestId: "dense", sourceId: "file" };
  await timed("append 360,000 points, staged", async () => {
    for (const [sequence, points] of batches.entries()) {
      await store.points.append({ ...source, visibility: "staged", sequence, labels, points });
    }
  });
  await timed("publish", () => store.points.publish(published("file", "dense")));
  await store.close();
  console.log(`${(statSync(file).size / 360_000).toFixed(1)} bytes a point in the file`);
  await reads();
  await live();
}

async function reads(): Promise<void> {
  const readings: [string, "sums" | "distribution", number][] = [
    ["all endpoints, sums", "sums", 100],
    ["all endpoints, distributions", "distribution", 100],
    ["one endpoint, sums", "sums", 1],
    ["one endpoint, distributions", "distribution", 1],
  ];
  for (const [name, detail, endpoints] of readings) {
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const store = await openSqliteStore(file, { now: Date.now });
      times.push(await readingMs(store, detail, endpoints));
      await store.close();
    }
    const median = times.toSorted((left, right) => left - right)[ROUNDS >> 1] as number;
    console.log(`read ${name}, nothing cached: ${median.toFixed(1)} ms`);
  }
}

async function readingMs(
  store: Store,
  detail: "sums" | "distribution",
  endpoints: number,
): Promise<number> {
  const startedAtMs = performance.now();
  const snapshot = await store.points.snapshot("dense");
  if (snapshot === undefined) throw new Error("the load test is gone");
  const wanted = (await endpointsOf(snapshot)).slice(0, endpoints);
  let points = 0;
  // The overloads want one literal each.
  const answer =
    detail === "sums"
      ? snapshot.read(wanted, ALL_SECONDS, "sums")
      : snapshot.read(wanted, ALL_SECONDS, "distribution");
  for await (const { columns } of answer) points += columns.second.length;
  snapshot.release();
  if (points !== endpoints * 3600) throw new Error(`${points} points were read`);
  return performance.now() - startedAtMs;
}

async function live(): Promise<void> {
  const store = await openSqliteStore(file, { now: Date.now });
  await store.loadTests.create({ id: "live", name: "live", createdAtMs: 2 });
  const labels = Array.from({ length: 1000 }, (_, index) => `GET /live/${index * 7919}`);
  const shape = { endpoints: 1000, seconds: 1, requestsPerPoint: 14, firstSecond: FIRST_SECOND };
  const points = densePoints(shape);
  await timed(`${LIVE_BATCHES} live batches of 1,000 points, ${LIVE_SENDERS} senders`, async () => {
    const send = async (sender: number) => {
      for (let sequence = 0; sequence < LIVE_BATCHES / LIVE_SENDERS; sequence++) {
        const batch = { loadTestId: "live", sourceId: `sender ${sender}`, sequence, labels };
        const second = points.second.map((first) => first + sequence);
        await store.points.append({ ...batch, visibility: "live", points: { ...points, second } });
      }
    };
    await Promise.all(Array.from({ length: LIVE_SENDERS }, (_, sender) => send(sender)));
  });
  await store.close();
}

async function timed(name: string, work: () => Promise<unknown>): Promise<void> {
  const startedAtMs = performance.now();
  await work();
  console.log(`${name}: ${(performance.now() - startedAtMs).toFixed(0)} ms`);
}
