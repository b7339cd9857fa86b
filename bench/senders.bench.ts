/**
 * Live senders against a server process: 10 of them, 1,000 endpoints and 10,000 requests each and
 * every second, for 60 s (or `npm run bench:senders -- SECONDS`). Tells how long acknowledgements take, how
 * much memory the server has at most, and whether what it answers meanwhile is right: of an
 * endpoint never less than was acknowledged before it was asked, never more than was sent by the time it answered.
 */

import { spawn } from "node:child_process";
import { hash } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Aggregator } from "../src/aggregate/aggregator.ts";
import { createSampleBatch } from "../src/model/sample-batch.ts";
import { openRemoteTarget, packBatch } from "../src/remote/remote-target.ts";
import { ServerCalls } from "../src/remote/server-calls.ts";
import { seededRandom } from "./seeded-random.ts";

const SENDERS = 10;
const ENDPOINTS = 1000;
const REQUESTS = 10;
const SECONDS = Number(process.argv[2] ?? 60);
const PORT = 18_013;
const LOAD_TEST = "bench";
const FIRST_SECOND = 1_790_000_000;
/** Endpoints are shared by all senders, so that their seconds have to be merged. */
const WATCHED = "GET /endpoint/7";

const program = path.join(import.meta.dirname, "../bin/tachograph.js");
const directory = mkdtempSync(path.join(tmpdir(), "tachograph-senders-"));
const labels = Array.from({ length: ENDPOINTS }, (_, endpoint) => `GET /endpoint/${endpoint}`);
const acknowledgedMs: number[] = [];
const answeredMs: number[] = [];
let sent = 0;
let acknowledged = 0;
let wrong = 0;

const words = ["keys", "create", "--name", "bench", "--scope", "read,write", "--data", directory];
await run(["import", path.join(import.meta.dirname, "../demo/shop.jtl.gz"), "--data", directory]);
const key = (await run(words)).trim();
const server = spawn(
  process.execPath,
  [program, "serve", "--port", String(PORT), "--data", directory],
  { stdio: ["ignore", "pipe", "ignore"] },
);
try {
  await once(server.stdout, "data");
  await benchmark(server.pid ?? 0);
} finally {
  server.kill();
  await once(server, "exit");
  rmSync(directory, { recursive: true });
}

async function benchmark(serverId: number): Promise<void> {
  const calls = new ServerCalls({
    url: `http://127.0.0.1:${PORT}`,
    key,
    fetch,
    wait: (ms) => delay(ms),
    clockMs: () => performance.now(),
    random: Math.random,
    patienceMs: () => 0,
    warn: (message) => console.error(message),
  });
  const target = openRemoteTarget(calls);
  await target.loadTests.create({ id: LOAD_TEST, name: LOAD_TEST, createdAtMs: 0 });
  const packed = Array.from({ length: SENDERS }, (_, sender) => packAll(sender));
  let isOver = false;
  const watching = watch(() => isOver);
  await Promise.all(packed.map((batches, sender) => send(batches, sender)));
  isOver = true;
  await watching;
  const found = await requestsOf(WATCHED);
  if (found !== SENDERS * SECONDS * REQUESTS) wrong += 1;
  console.log(
    `${SENDERS} senders x ${ENDPOINTS} endpoints x ${SECONDS} s, load ${loadavg()[0]?.toFixed(1)}`,
  );
  console.log(`acknowledged after: ${quantiles(acknowledgedMs)}`);
  console.log(`one endpoint answered after: ${quantiles(answeredMs)}; wrong answers: ${wrong}`);
  console.log(
    `server: ${peakMegabytes(serverId)} MB at most, ${cpuSeconds(serverId)} s of processor`,
  );

  async function send(batches: readonly Uint8Array<ArrayBuffer>[], sender: number): Promise<void> {
    const startedAtMs = performance.now() + (sender * 1000) / SENDERS;
    for (const [second, batch] of batches.entries()) {
      await delay(Math.max(0, startedAtMs + second * 1000 - performance.now()));
      const sentAtMs = performance.now();
      sent += REQUESTS;
      await target.sendPacked(LOAD_TEST, batch);
      acknowledged += REQUESTS;
      acknowledgedMs.push(performance.now() - sentAtMs);
    }
  }
}

/** What a sender measures in each second, ready to be sent, so that making it takes no time later. */
function packAll(sender: number): readonly Uint8Array<ArrayBuffer>[] {
  const random = seededRandom(sender + 1);
  return Array.from({ length: SECONDS }, (_, second) => {
    const aggregator = new Aggregator();
    const rows = createSampleBatch();
    const hand = (): void => {
      aggregator.record(rows);
      rows.rows = 0;
    };
    for (let request = 0; request < ENDPOINTS * REQUESTS; request++) {
      if (rows.rows === rows.label.length) hand();
      const row = rows.rows++;
      rows.label[row] = request % ENDPOINTS;
      rows.second[row] = FIRST_SECOND + second;
      rows.elapsedMicros[row] = 1000 * Math.ceil(20 / (1.02 - random()));
      rows.receivedBytes[row] = 500 + Math.floor(random() * 5000);
      rows.requests[row] = 1;
      rows.failedRequests[row] = random() < 0.01 ? 1 : 0;
    }
    hand();
    return packBatch({
      sourceId: `sender-${sender}`,
      visibility: "live",
      sequence: second,
      follows: second === 0 ? "nothing" : second - 1,
      labels,
      points: aggregator.seal(),
    });
  });
}

async function watch(isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const least = acknowledged;
    const askedAtMs = performance.now();
    const found = await requestsOf(WATCHED);
    answeredMs.push(performance.now() - askedAtMs);
    if (found < least || found > sent) wrong += 1;
    await delay(500);
  }
}

async function requestsOf(label: string): Promise<number> {
  const digest = hash("sha1", label);
  const url = `http://127.0.0.1:${PORT}/Api/Metrics?loadTestId=${LOAD_TEST}&hash=${digest}&format=csv`;
  const answer = await fetch(url, { headers: { "X-Service-Auth": key } });
  const [item] = (await answer.json()) as { data: string[][] }[];
  return (item?.data.slice(1) ?? []).reduce((sum, row) => sum + Number(row[2]), 0);
}

function quantiles(values: readonly number[]): string {
  const sorted = values.toSorted((left, right) => left - right);
  const at = (share: number): string =>
    `${(sorted.at(share * (sorted.length - 1)) ?? 0).toFixed(0)} ms`;
  return `p50 ${at(0.5)}, p99 ${at(0.99)}, at most ${at(1)} (${sorted.length})`;
}

function peakMegabytes(processId: number): number {
  const status = readFileSync(`/proc/${processId}/status`, "utf8");
  return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
}

/** Both its own and the kernel's, in hundredths of a second (USER_HZ). */
function cpuSeconds(processId: number): number {
  const fields = readFileSync(`/proc/${processId}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

async function run(command: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, [program, ...command], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  let out = "";
  for await (const text of child.stdout.setEncoding("utf8")) out += String(text);
  return out;
}
