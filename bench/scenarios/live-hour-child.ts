/**
 * A process that takes what live senders send in `SECONDS`, as fast as the store does, each batch in a commit of
 * its own as at the pace of a real test: `node live-hour-child.ts FOLDER SENDERS ENDPOINTS SECONDS`. The clock is made
 * up, so that an hour needs less; compaction and the collection of what is compacted go on beside it. Prints
 * figures as JSON.
 */

import { statSync } from "node:fs";
import path from "node:path";
import { encodeBlock } from "../../src/store/block/block.ts";
import { densePoints } from "../../test/support/dense-points.ts";
import { loadTest } from "../../test/support/load-tests.ts";
import { openCompactedStore } from "../../test/support/compacted-store.ts";
import { writtenBytes } from "../frame/child.ts";
import { quantile } from "../frame/statistics.ts";

const LOAD_TEST = "live";
const FIRST_SECOND = 1_790_000_000;
const COLLECT_EVERY_SECONDS = 60;
/** Readers may hold what was compacted for so long. */
const BURIAL_PATIENCE_SECONDS = 120;
const DISTINCT_POINTS = 400_000;

const [folder = "", ...numbers] = process.argv.slice(2);
const [senders = 1, endpoints = 1000, seconds = 3600] = numbers.map(Number);

const labels = Array.from({ length: endpoints }, (_, index) => `GET /live/${index * 7919}`);
const shape = { endpoints, requestsPerPoint: 14, seconds: 1, firstSecond: FIRST_SECOND };
/** Different ones, so that neither compression nor prediction has it easier than it would. */
const batches = Array.from({ length: Math.ceil(DISTINCT_POINTS / endpoints) }, (_, seed) => {
  const points = densePoints(shape, seed);
  const { plain, distribution } = encodeBlock(points);
  return { points, packedBytes: plain.length + distribution.length };
});

let second = 0;
const store = openCompactedStore(folder, {
  now: () => (FIRST_SECOND + second) * 1000,
  isBeside: true,
});
await store.loadTests.create(loadTest(LOAD_TEST));
const writtenBefore = writtenBytes(process.pid);
const begin = performance.now();
const appendedMs: number[] = [];
let payloadBytes = 0;
for (; second < seconds; second++) {
  for (let sender = 0; sender < senders; sender++) await append(sender);
  if (second % COLLECT_EVERY_SECONDS === 0) await store.snapshots.collectGarbage();
}
const took = (performance.now() - begin) / 1000;
await store.compact();
second += BURIAL_PATIENCE_SECONDS;
await store.snapshots.collectGarbage();
const written = writtenBytes(process.pid) - writtenBefore;
await store.file.queue.write(() => store.file.writer.exec("PRAGMA incremental_vacuum"));
await store.close();
const points = seconds * senders * endpoints;
console.log(
  JSON.stringify({
    written: written / payloadBytes,
    payload: payloadBytes / points,
    stored: statSync(path.join(folder, "store.db")).size / points,
    points: points / took,
    p50: quantile(appendedMs, 0.5),
    p99: quantile(appendedMs, 0.99),
  }),
);

async function append(sender: number): Promise<void> {
  const batch = batches[(second * senders + sender) % batches.length];
  if (batch === undefined) throw new Error("BUG: no batch");
  const columns = {
    ...batch.points,
    second: new Uint32Array(endpoints).fill(FIRST_SECOND + second),
  };
  const startedAtMs = performance.now();
  await store.points.append({
    loadTestId: LOAD_TEST,
    sourceId: `sender-${sender}`,
    visibility: "live",
    sequence: second,
    labels,
    points: columns,
  });
  appendedMs.push(performance.now() - startedAtMs);
  payloadBytes += batch.packedBytes;
}
