/**
 * What judging the windows of running load tests takes of a core, and of small reads beside it, on a store file:
 *
 *     node bench/running-judge.bench.ts [load tests] [seconds]
 *
 * Each load test has ten endpoints, 40 requests a second and ten thresholds over windows. Its sender posts every two seconds.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir, loadavg } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { RunningJudge } from "../src/analysis/thresholds/judge-running.ts";
import { openSqliteStore } from "../src/store/sqlite/store.ts";
import { batchOf, sample } from "../test/support/batches.ts";
import { loadTest } from "../test/support/load-tests.ts";

const loadTests = Number(process.argv[2] ?? 200);
const seconds = Number(process.argv[3] ?? 40);

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
const POST_SECONDS = 2;
const NAME = "measured";

const folder = mkdtempSync(join(tmpdir(), "running-judge-"));
const store = await openSqliteStore(join(folder, "tachograph.db"), { now: Date.now });
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
const judge = new RunningJudge({
  store,
  now: Date.now,
  onBroken: async () => void (broken += 1),
  onRecovered: async () => undefined,
  failed: (id, reason) => console.log(id, reason),
});

/** Until this second. */
let posted = start + BEFORE_SECONDS;

/** Posts and looks, and reads every 20 ms: a read may wait for a look. */
async function round(isJudged: boolean): Promise<void> {
  const reads: number[] = [];
  const reading = setInterval(async () => {
    const atMs = performance.now();
    await new Promise((resolve) => setImmediate(resolve));
    await store.loadTests.find(ids[reads.length % loadTests] ?? "");
    reads.push(performance.now() - atMs);
  }, 20);
  let processorMs = 0;
  const begin = performance.now();
  while (performance.now() - begin < seconds * 1000) {
    const now = Math.floor(Date.now() / 1000);
    if (now - posted >= POST_SECONDS) {
      for (const id of ids) await post(id, posted, now);
      sequence += 1;
      posted = now;
    }
    const before = process.cpuUsage();
    if (isJudged) await judge.look();
    const used = process.cpuUsage(before);
    processorMs += (used.user + used.system) / 1000;
    await sleep(100);
  }
  clearInterval(reading);
  const share = ((100 * processorMs) / (performance.now() - begin)).toFixed(1);
  const sorted = reads.toSorted((left, right) => left - right);
  const [p50, p99] = [0.5, 0.99].map((q) => sorted[Math.floor(sorted.length * q)]?.toFixed(2));
  const what = isJudged ? "judged" : "not judged";
  console.log(`${what}: ${share} % of a core; small reads p50 ${p50} ms, p99 ${p99} ms`);
}

console.log(`${loadTests} load tests, load average ${loadavg()[0]?.toFixed(1)}`);
const first = performance.now();
while (ids.some((id) => judge.stateOf(id) === undefined)) {
  await judge.look();
  await sleep(100);
}
console.log(`first looks: ${((performance.now() - first) / 1000).toFixed(1)} s`);
for (const isJudged of [true, false, true, false]) await round(isJudged);
if (broken > 0) throw new Error(`${broken} load tests broke a limit that they keep`);
await store.close();
rmSync(folder, { recursive: true });
