/**
 * What judging the windows of running load tests takes of a core, and of small reads beside it, on a store file:
 *
 *     node bench/running-judge.bench.ts [load tests] [seconds]
 *
 * Each load test has ten endpoints, 40 requests a second and ten thresholds over windows. All senders post at the same time, every second. The
 * clock is simulated, and only CPU time counts, so that other work on the machine matters little. The share of judging is what a second
 * takes with it, less what it takes without, in turns.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir, loadavg } from "node:os";
import { join } from "node:path";
import { RunningJudge } from "../src/analysis/thresholds/judge-running.ts";
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
const BEFORE_SECONDS = 160;
/** As a server does. */
const LOOKS_A_SECOND = 2;
const SETTLE_SECONDS = 6;
/** A turn of the event loop that does nothing takes less. */
const IDLE_TURN_MS = 0.1;
const PAIRS = 2;
const NAME = "measured";

const folder = mkdtempSync(join(tmpdir(), "running-judge-"));
let judge: RunningJudge | undefined;
let nowMs = Date.now();
const now = (): number => nowMs;
const opened = await openSqliteStore(join(folder, "tachograph.db"), { now });
const store = observeAppends(opened, (_, batch, revisions) => judge?.observe(batch, revisions));
const start = Math.floor(nowMs / 1000) - BEFORE_SECONDS;
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
    now,
    clockMs: now,
    onBroken: async () => void (broken += 1),
    onRecovered: async () => undefined,
    failed: (id, reason) => console.log(id, reason),
  });
}

/** Posts and looks as in `untilSecond - posted` seconds, without waiting in between. */
async function run(untilSecond: number): Promise<void> {
  while (posted < untilSecond) {
    await postUntil(posted + 1);
    for (let look = 0; look < LOOKS_A_SECOND; look++) {
      nowMs += 1000 / LOOKS_A_SECOND;
      await judge?.look();
    }
  }
}

/** In milliseconds of one core. */
function cpuMs(usage: NodeJS.CpuUsage): number {
  return (usage.user + usage.system) / 1000;
}

/** How long the event loop was busy at a time, in milliseconds of the thread's CPU: a read that comes meanwhile waits. */
async function busyTimes(work: () => Promise<void>): Promise<readonly number[]> {
  const times: number[] = [];
  let isDone = false;
  const turn = (before: NodeJS.CpuUsage): void => {
    const usage = process.threadCpuUsage();
    times.push(cpuMs(usage) - cpuMs(before));
    if (!isDone) setImmediate(turn, usage);
  };
  setImmediate(turn, process.threadCpuUsage());
  await work();
  isDone = true;
  return times.filter((each) => each > IDLE_TURN_MS);
}

/** The wait that a share `1 - q` of reads exceeds, if they come at any time in these seconds. */
function waitOf(times: readonly number[], q: number): number {
  const exceeding = (wait: number) =>
    times.reduce((sum, each) => sum + Math.max(0, each - wait), 0);
  let [least, most] = [0, Math.max(...times)];
  while (most - least > 0.01) {
    const middle = (least + most) / 2;
    if (exceeding(middle) > (1 - q) * seconds * 1000) least = middle;
    else most = middle;
  }
  return most;
}

interface Round {
  readonly share: number;
  readonly waitMs: number;
}

/** Measures once all load tests are followed. */
async function round(isJudged: boolean): Promise<Round> {
  judge = isJudged ? openJudge() : undefined;
  const before = process.cpuUsage();
  const isMissing = (id: string): boolean => judge !== undefined && judge.stateOf(id) === undefined;
  await run(posted + SETTLE_SECONDS);
  while (ids.some(isMissing)) await judge?.look();
  const firstMs = cpuMs(process.cpuUsage(before));
  // The first look at observed data computes all windows that they hold.
  await run(posted + SETTLE_SECONDS);
  const from = process.cpuUsage();
  await run(posted + seconds);
  const share = cpuMs(process.cpuUsage(from)) / 10 / seconds;
  const times = await busyTimes(() => run(posted + seconds));
  const waitMs = waitOf(times, 0.99);
  console.log(
    `${isJudged ? "judged" : "not judged"}: ${share.toFixed(1)} % of a core; reads wait p99 ${waitMs.toFixed(1)} ms, ` +
      `most ${Math.max(...times).toFixed(1)} ms; first looks ${firstMs.toFixed(0)} ms; load ${loadavg()[0]?.toFixed(1)}`,
  );
  return { share, waitMs };
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
