/**
 * What judging the windows of running load tests takes of a core, and of small reads beside it, on a store file:
 *
 *     node bench/running-judge.bench.ts [load tests] [seconds]
 *
 * Each load test has ten endpoints, 40 requests a second and ten thresholds over windows. Its sender posts every second. The share of judging
 * is what the process takes with it, less what it takes without, in turns.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir, loadavg } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { RunningJudge } from "../src/analysis/thresholds/judge-running.ts";
import { repeatJob } from "../src/concurrency/repeat-job.ts";
import { observeAppends } from "../src/live/observe-appends.ts";
import { openSqliteStore } from "../src/store/sqlite/store.ts";
import { batchOf, sample } from "../test/support/batches.ts";
import { loadTest } from "../test/support/load-tests.ts";

const loadTests = Number(process.argv[2] ?? 200);
const seconds = Number(process.argv[3] ?? 20);

const FAIL_IF = [
  "errors > 50% over 30s",
  "errors > 90% over 1m",
  "p95 > 9s over 30s",
  "p99 > 9s over 1m",
  "avg > 9s over 30s",
  "throughput < 1/s over 30s",
  "requests < 1 over 30s",
  "p50 > 9s over 1m",
  "GET /1: errors > 50% over 30s",
  "GET /2: p95 > 9s over 1m",
];

/** Posted before the measurement. */
const BEFORE_SECONDS = 300;
/** As a server does. */
const LOOK_EVERY_MS = 500;
const SETTLE_MS = 6000;
const PAIRS = 3;
const NAME = "measured";

const folder = mkdtempSync(join(tmpdir(), "running-judge-"));
let judge: RunningJudge | undefined;
const opened = await openSqliteStore(join(folder, "tachograph.db"), { now: Date.now });
const store = observeAppends(opened, (_, batch, revisions) => judge?.observe(batch, revisions));
const start = Math.floor(Date.now() / 1000) - BEFORE_SECONDS;
const ids = Array.from({ length: loadTests }, (_, at) => `run-${at}`);
for (const id of ids) await store.loadTests.create({ ...loadTest(id), name: NAME });
await store.thresholds.keep(NAME, JSON.stringify({ thresholds: [{ failIf: FAIL_IF }] }));

let sequence = 0;
async function post(id: string, from: number, until: number): Promise<void> {
  const samples = Array.from({ length: (until - from) * 40 }, (_, at) => {
    const second = from + Math.floor(at / 40);
    return {
      ...sample(`GET /${at % 10}`, second, 20_000 + ((at * 7919) % 400_000)),
      failed: at % 97 === 0,
    };
  });
  await store.points.append({ ...batchOf(samples, { sequence }), loadTestId: id });
}

for (let at = 0; at < BEFORE_SECONDS; at += 20) {
  for (const id of ids) await post(id, start + at, start + at + 20);
  sequence += 1;
}

let broken = 0;

/** Until this second. */
let posted = start + BEFORE_SECONDS;

async function postUntil(second: number): Promise<void> {
  await Promise.all(ids.map((id) => post(id, posted, second)));
  sequence += 1;
  posted = second;
}

function openJudge(): RunningJudge {
  return new RunningJudge({
    store,
    now: Date.now,
    onBroken: async () => void (broken += 1),
    onRecovered: async () => undefined,
    failed: (id, reason) => console.log(id, reason),
  });
}

/** Posts, looks and reads, as a server does: a read may wait for a look. */
async function run(untilMs: () => number): Promise<readonly number[]> {
  const reads: number[] = [];
  const reading = setInterval(async () => {
    const atMs = performance.now();
    await new Promise((resolve) => setImmediate(resolve));
    await store.loadTests.find(ids[reads.length % loadTests] ?? "");
    reads.push(performance.now() - atMs);
  }, 20);
  const looking = repeatJob({
    run: async () => judge?.look(),
    everyMs: LOOK_EVERY_MS,
    failed: (error) => console.log(error),
  });
  while (performance.now() < untilMs()) {
    const now = Math.floor(Date.now() / 1000);
    if (now > posted) await postUntil(now);
    await sleep(50);
  }
  clearInterval(reading);
  await looking.stop();
  return reads;
}

interface Round {
  readonly share: number;
  readonly reads: readonly number[];
}

/** Measures once all load tests are followed. */
async function round(isJudged: boolean): Promise<Round> {
  judge = isJudged ? openJudge() : undefined;
  const begin = performance.now();
  await run(() => (ids.some((id) => judge && judge.stateOf(id) === undefined) ? Infinity : 0));
  if (isJudged) console.log(`first looks: ${((performance.now() - begin) / 1000).toFixed(1)} s`);
  // The first look at observed data computes all windows that they hold.
  const settledMs = performance.now() + SETTLE_MS;
  await run(() => settledMs);
  const [before, from] = [process.cpuUsage(), performance.now()];
  const reads = await run(() => from + seconds * 1000);
  const { user, system } = process.cpuUsage(before);
  const share = (user + system) / 10 / (performance.now() - from);
  const sorted = reads.toSorted((left, right) => left - right);
  const [p50, p99] = [0.5, 0.99].map((q) => sorted[Math.floor(sorted.length * q)]?.toFixed(2));
  const what = isJudged ? "judged" : "not judged";
  const load = loadavg()[0]?.toFixed(1);
  console.log(
    `${what}: ${share.toFixed(1)} % of a core; reads p50 ${p50} ms, p99 ${p99} ms; load ${load}`,
  );
  return { share, reads };
}

const shares: number[] = [];
for (let pair = 0; pair < PAIRS; pair++) {
  const [own, without] = [await round(true), await round(false)];
  shares.push(own.share - without.share);
}
const median = shares.toSorted((left, right) => left - right)[PAIRS >> 1];
console.log(
  `judging: ${median?.toFixed(1)} % of a core, of ${shares.map((each) => each.toFixed(1)).join(", ")}`,
);
if (broken > 0) throw new Error(`${broken} load tests broke a limit that they keep`);
await store.close();
rmSync(folder, { recursive: true });
