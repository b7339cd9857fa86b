/**
 * An hour of ten live senders of 100 endpoints each, one batch a second, as fast as the store takes
 * it: once without sealing and once with it. Run it with `npm run bench:live`; arguments give another
 * number of seconds and of endpoints.
 */

import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { ALL_SECONDS } from "../src/model/second-range.ts";
import { densePoints } from "../test/support/dense-points.ts";
import { loadTest } from "../test/support/load-tests.ts";
import { openSealedStore, type SealedStore } from "../test/support/sealed-store.ts";

const FIRST_SECOND = 1_790_000_000;
const SECONDS = Number(process.argv[2] ?? 3600);
const SENDERS = 10;
const ENDPOINTS = Number(process.argv[3] ?? 100);
const BURY_EVERY_SECONDS = 60;

const labels = Array.from({ length: ENDPOINTS }, (_, index) => `GET /live/${index * 7919}`);
const shape = { endpoints: ENDPOINTS, requestsPerPoint: 14, seconds: 1, firstSecond: FIRST_SECOND };
/** Different ones, so that neither compression nor prediction has it easier than it would. */
const batches = Array.from({ length: Math.ceil(400_100 / ENDPOINTS) }, (_, seed) =>
  densePoints(shape, seed),
);

await measure("without sealing", Infinity);
await measure("with sealing", undefined);

async function measure(name: string, runsSealed: number | undefined): Promise<void> {
  const directory = mkdtempSync(path.join(tmpdir(), "tachograph-bench-"));
  try {
    let second = 0;
    const now = () => (FIRST_SECOND + second) * 1000;
    const open = (runs = runsSealed) =>
      openSealedStore(directory, { now, ...(runs === undefined ? {} : { runsSealed: runs }) });
    let store = open();
    await store.loadTests.create({ ...loadTest("live"), createdAtMs: 1 });
    const writtenBefore = writtenBytes();
    const latenciesMs: number[] = [];
    const startedAtMs = performance.now();
    for (; second < SECONDS; second++) {
      await appendSecond(store, second, latenciesMs);
      if (second % BURY_EVERY_SECONDS === 0) await store.snapshots.bury();
    }
    const tookMs = performance.now() - startedAtMs;
    await store.sealer.idle();
    const payload = storedBytes(store);
    console.log(`${name}: ${SECONDS} s of ${SENDERS} senders in ${(tookMs / 1000).toFixed(1)} s`);
    console.log(`  append: ${percentiles(latenciesMs)}`);
    console.log(`  written: ${megabytes(writtenBytes() - writtenBefore)}, visible ${payload}`);
    await read(store, "  read as it is", runsSealed === Infinity ? [1] : [ENDPOINTS, 1]);
    await store.close();
    // What is not sealed is read block by block: an hour of all endpoints takes minutes.
    if (runsSealed === Infinity) return;
    second += 120;
    store = open(undefined);
    const sealedAtMs = performance.now();
    const stalls = watchStalls();
    store.sealer.sweep();
    await store.sealer.idle();
    const sealMs = performance.now() - sealedAtMs;
    console.log(`  sealed to the end in ${sealMs.toFixed(0)} ms, ${stalls()}`);
    await read(store, "  read then", [ENDPOINTS, 1]);
    second += 120;
    await store.snapshots.bury();
    await store.file.queue.write(() => store.file.writer.exec("PRAGMA incremental_vacuum"));
    console.log(`  visible ${storedBytes(store)}`);
    await store.close();
    const { size } = statSync(path.join(directory, "store.db"));
    console.log(`  file: ${megabytes(size)}, ${(size / pointsSent()).toFixed(1)} bytes a point`);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

async function appendSecond(
  { points }: SealedStore,
  second: number,
  latenciesMs: number[],
): Promise<void> {
  const append = async (sender: number) => {
    const columns = batches[(second * SENDERS + sender) % batches.length] as (typeof batches)[0];
    const startedAtMs = performance.now();
    await points.append({
      loadTestId: "live",
      sourceId: `sender ${sender}`,
      visibility: "live",
      sequence: second,
      labels,
      points: { ...columns, second: columns.second.map((first) => first + second) },
    });
    latenciesMs.push(performance.now() - startedAtMs);
  };
  await Promise.all(Array.from({ length: SENDERS }, (_, sender) => append(sender)));
}

async function read(
  { points }: SealedStore,
  name: string,
  endpointCounts: readonly number[],
): Promise<void> {
  for (const wanted of endpointCounts) {
    const startedAtMs = performance.now();
    const snapshot = await points.snapshot("live");
    if (snapshot === undefined) throw new Error("the load test is gone");
    const endpoints = (await snapshot.endpoints()).slice(0, wanted);
    let rows = 0;
    for await (const { columns } of snapshot.read(endpoints, ALL_SECONDS, "sums")) {
      rows += columns.second.length;
    }
    snapshot.release();
    if (rows !== wanted * SECONDS) throw new Error(`${rows} points were read`);
    const tookMs = performance.now() - startedAtMs;
    console.log(`${name}, endpoints: ${wanted}, sums: ${tookMs.toFixed(1)} ms`);
  }
}

function storedBytes({ file }: SealedStore): string {
  const bytes = (table: string) =>
    file.reader
      .prepare(
        `SELECT coalesce(sum(length(bytes)), 0) AS bytes, count(*) AS blocks FROM ${table}
         WHERE block IN (SELECT number FROM blocks WHERE died IS NULL)`,
      )
      .get() as { bytes: number; blocks: number };
  const [plain, distribution] = [bytes("plain_segments"), bytes("distribution_segments")];
  const each = [plain, distribution].map((one) => (one.bytes / pointsSent()).toFixed(1));
  const total = megabytes(plain.bytes + distribution.bytes);
  return `${total} in ${plain.blocks} blocks, ${each.join(" + ")} bytes a point`;
}

function pointsSent(): number {
  return SECONDS * SENDERS * ENDPOINTS;
}

/** How long the event loop was away, from now until it is called. */
function watchStalls(): () => string {
  const gapsMs: number[] = [];
  let lastAtMs = performance.now();
  const tick = () => {
    const gapMs = performance.now() - lastAtMs;
    // Turns of an idle loop are many and say nothing.
    if (gapMs > 1) gapsMs.push(gapMs);
    lastAtMs = performance.now();
    next = setImmediate(tick);
  };
  let next = setImmediate(tick);
  return () => {
    clearImmediate(next);
    return `event loop away ${percentiles(gapsMs)}`;
  };
}

function percentiles(values: readonly number[]): string {
  const sorted = values.toSorted((left, right) => left - right);
  const at = (share: number) => (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(1);
  return `p50 ${at(0.5)}, p99 ${at(0.99)}, most ${at(1)} ms`;
}

/** Bytes that this process caused to be written to the disk; Linux only. */
function writtenBytes(): number {
  return Number(/^write_bytes: (\d+)/m.exec(readFileSync("/proc/self/io", "utf8"))?.[1]);
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
