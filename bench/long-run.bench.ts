/**
 * What responses about one long run take of a server, and its memory while sixteen clients read each at once:
 *
 *     node bench/long-run.bench.ts [hours]
 *
 * Seven senders report 20 endpoints, 5.4 times a second together, as in the soak run. Each kind of response is asked of a server that has just
 * started, first by one client, then by sixteen. Processor times are those of the server's process.
 */

import { readFileSync, mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import path from "node:path";
import { openSqliteStore } from "../src/store/sqlite/store.ts";
import { ServedStore } from "../test/faults/around/served-store.ts";
import { batchOf, sample } from "../test/support/batches.ts";
import { loadTest } from "../test/support/load-tests.ts";
import { runTachograph } from "../test/support/run-tachograph.ts";

const hours = Number(process.argv[2] ?? 7);

const [SENDERS, ENDPOINTS, BATCHES_PER_SECOND] = [7, 20, 5.4];
const FIRST_SECOND = 1_700_000_000;
const READERS = 16;
const TICKS_PER_SECOND = 100;
const MEBIBYTE = 1024 * 1024;
const CODINGS = ["gzip", "zstd", "br", "identity"];

const METRICS = "/Api/Metrics?loadTestId=run&filter=/&format=csv";
const NAMES = [
  "Summary",
  "Distribution",
  "Heatmap",
  "Capacity",
  "Percentiles",
  "Findings",
  "Report",
];

const folder = mkdtempSync(path.join(tmpdir(), "tachograph-long-run-"));
const data = path.join(folder, "data");
let batches = 0;

function nextBatch() {
  const second = FIRST_SECOND + Math.floor(batches / BATCHES_PER_SECOND);
  const samples = Array.from({ length: ENDPOINTS }, (_, endpoint) =>
    sample(`/endpoint${endpoint}`, second, 1000 * (1 + (batches % 50))),
  );
  batches += 1;
  const about = { sourceId: `sender-${batches % SENDERS}`, sequence: batches };
  return batchOf(samples, about);
}

const { out: key } = await runTachograph([
  "keys",
  "create",
  "--name",
  "bench",
  "--scope",
  "read,write",
  "--data",
  data,
]);
const store = await openSqliteStore(path.join(data, "tachograph.sqlite"), { now: Date.now });
await store.loadTests.create(loadTest());
for (let left = 3600 * hours * BATCHES_PER_SECOND; left > 0; left -= SENDERS) {
  await Promise.all(Array.from({ length: SENDERS }, () => store.points.append(nextBatch())));
}
await store.close();

console.log(`${hours} hours, ${batches} batches, load average ${loadavg()[0]?.toFixed(1)}`);
console.log("response       processor s   elapsed s      MB   MiB with 16 readers");
for (const name of [...NAMES, METRICS]) await measure(name);
rmSync(folder, { recursive: true });
process.exit(0);

async function measure(name: string): Promise<void> {
  const server = new ServedStore(data, key.trim());
  await server.start();
  const at = name.startsWith("/") ? name : `/Api/LoadTests/run/${name}?`;
  // Loads what every response needs.
  await server.text("/Api/LoadTests/run/Failures");
  const [cpuBefore, startedAtMs] = [cpuSeconds(server), performance.now()];
  const { length } = await server.text(at);
  const elapsedSeconds = (performance.now() - startedAtMs) / 1000;
  const cpu = cpuSeconds(server) - cpuBefore;
  let most = 0;
  const watching = setInterval(() => (most = Math.max(most, residentBytes(server))), 100);
  await Promise.all(Array.from({ length: READERS }, (_, reader) => read(server, at, reader)));
  clearInterval(watching);
  const figures = [cpu.toFixed(1), elapsedSeconds.toFixed(1), (length / 1e6).toFixed(1)];
  const [cpuText = "", elapsedText = "", sizeText = ""] = figures;
  console.log(
    (name === METRICS ? "Metrics, csv" : name).padEnd(14),
    cpuText.padStart(11),
    elapsedText.padStart(11),
    sizeText.padStart(7),
    String(Math.round(most / MEBIBYTE)).padStart(20),
  );
  await server.kill();
}

/** Ranges differ, so that no two responses are the same. */
async function read(server: ServedStore, at: string, reader: number): Promise<void> {
  const response = await fetch(`${server.url}${at}&from=${FIRST_SECOND + reader}`, {
    headers: { "X-Service-Auth": server.key, "Accept-Encoding": CODINGS[reader % 4] ?? "" },
  });
  if (!response.ok) throw new Error(await response.text());
  await response.arrayBuffer();
}

function cpuSeconds(server: ServedStore): number {
  const stat = readFileSync(`/proc/${server.running.process.pid}/stat`, "utf8");
  const [, fields = ""] = stat.split(") ");
  const [user, system] = fields.split(" ").slice(11, 13).map(Number);
  return ((user ?? 0) + (system ?? 0)) / TICKS_PER_SECOND;
}

function residentBytes(server: ServedStore): number {
  const status = readFileSync(`/proc/${server.running.process.pid}/status`, "utf8");
  return 1024 * Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]);
}
