/**
 * Measures two servers that share a PostgreSQL database beside one with a data directory: ten senders of 1,000 points, and reads.
 *
 *     npm run task bench:postgres
 */

import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { Agent } from "node:http";
import { loadavg, tmpdir } from "node:os";
import path from "node:path";
import { startServer } from "../test/postgres/server.ts";
import { runTachograph, startTachograph } from "../test/support/run-tachograph.ts";
import { quantile } from "./frame/statistics.ts";
import { liveBatch } from "./scenarios/live-batch.ts";
import { postTo } from "./scenarios/full-speed.ts";

const [SENDERS, WARM_UP_MS, MEASURED_MS, READS] = [10, 2000, 10_000, 100];
const headers = { "Content-Type": "application/vnd.tachograph.batch" };

const data = mkdtempSync(path.join(tmpdir(), "tachograph-bench-postgres-"));
const database = await startServer({ isDurable: true });
try {
  const url = await database.create();
  await measure("two servers, one PostgreSQL", ["--postgres", url], 2);
  await measure("one server, one data directory", ["--data", data], 1);
} finally {
  await database.stop();
  rmSync(data, { recursive: true });
}

async function measure(name: string, store: readonly string[], servers: number): Promise<void> {
  const created = ["keys", "create", ...store, "--name", "bench", "--scope", "read,write"];
  const key = (await runTachograph(created)).out.trim();
  const own = { ...headers, "X-Service-Auth": key };
  const running = Array.from({ length: servers }, () =>
    startTachograph(["serve", "--port", "0", ...store]),
  );
  const urls = await Promise.all(
    running.map(async (each) => /http:\/\/[^\s/]+/.exec(await each.printed("http://"))?.[0] ?? ""),
  );
  await fetch(`${urls[0]}/Api/LoadTests`, {
    method: "POST",
    headers: { ...own, "Content-Type": "application/json" },
    body: JSON.stringify({ id: "bench" }),
  });
  const agent = new Agent({ keepAlive: true });
  const tookMs: number[] = [];
  const from = performance.now() + WARM_UP_MS;
  const until = from + MEASURED_MS;
  const send = async (sender: number): Promise<void> => {
    const batch = liveBatch(`sender-${sender}`, sender);
    const address = `${urls[sender % urls.length]}/Api/LoadTests/bench/Batches`;
    for (let index = 0; performance.now() < until; index++) {
      const beganMs = performance.now();
      await postTo(address, { body: batch.at(index), headers: own }, agent);
      const endedMs = performance.now();
      if (beganMs >= from && endedMs <= until) tookMs.push(endedMs - beganMs);
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, (_, sender) => send(sender)));
  agent.destroy();
  const reads = await readMs(`${urls[0]}/Api/LoadTests/bench/Summary`, own);
  const figures = {
    "points/s": Math.round((tookMs.length * 1000) / (MEASURED_MS / 1000)),
    "p50, ms": quantile(tookMs, 0.5).toFixed(1),
    "p99, ms": quantile(tookMs, 0.99).toFixed(1),
    "first Summary, ms": reads[0]?.toFixed(0),
    "the same again, p50, ms": quantile(reads.slice(1), 0.5).toFixed(1),
    load: loadavg()[0]?.toFixed(1),
  };
  console.log(name, figures);
  for (const { process: child } of running) {
    child.kill("SIGTERM");
    await once(child, "exit");
  }
}

async function readMs(url: string, own: Readonly<Record<string, string>>): Promise<number[]> {
  const tookMs: number[] = [];
  for (let read = 0; read < READS; read++) {
    const beganMs = performance.now();
    const response = await fetch(url, { headers: own });
    await response.arrayBuffer();
    tookMs.push(performance.now() - beganMs);
    if (!response.ok) throw new Error(`${url} is answered with ${response.status}`);
  }
  return tookMs;
}
