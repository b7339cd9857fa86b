/**
 * How a load test of very many endpoints is read: each question that the page asks when it is opened, and some
 * that people ask then. Of each: time cold (first of this process) and warm, the size of the answer,
 * the longest time for which the server answered nobody, and the most memory that it took until then.
 *
 *     node bench/many-endpoints.bench.ts DATA ID [QUESTION...]
 */

import { execFileSync, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { request } from "node:http";
import { loadavg } from "node:os";

const [data = "", id = "", ...wanted] = process.argv.slice(2);
const PROGRAM = "bin/tachograph.js";
/** What asks whether the server answers, meanwhile. */
const PROBE_MS = 5;

const QUESTIONS: readonly (readonly [name: string, path: string])[] = [
  ["load test", ""],
  ["first 200 by p95", "/Summary?limit=200&sort=p95"],
  ["first 200 by requests", "/Summary?limit=200&sort=count"],
  ["search", "/Summary?limit=200&sort=p95&filter=00000"],
  ["charts", "/Percentiles?merge=true&percent=50,95,99&resolution=5"],
  ["heatmap", "/Heatmap?resolution=5"],
  ["users", "/Users"],
  ["findings", "/Findings"],
  ["failures", "/Failures?merge=true&series=true&resolution=3"],
  ["distribution", "/Distribution"],
  ["everything", "/Summary"],
];

const name = `bench-${Date.now()}`;
const keyWords = ["keys", "create", "--data", data, "--name", name, "--scope", "admin"];
const key = execFileSync(process.execPath, [PROGRAM, ...keyWords])
  .toString()
  .trim();
console.log("| question | cold | warm | answer | longest stall | peak of memory |");
console.log("| --- | --- | --- | --- | --- | --- |");
for (const [question, path] of QUESTIONS) {
  if (wanted.length === 0 || wanted.includes(question)) console.log(await measured(question, path));
}
console.log(`load ${loadavg()[0]?.toFixed(1)}`);

/** Each question has a server of its own, so that none is warm by another. */
async function measured(question: string, path: string): Promise<string> {
  const settings = ["--data", data, "--port", "0", "--labels-max", "2000000"];
  const server = spawn(process.execPath, [
    PROGRAM,
    "serve",
    ...settings,
    "--response-cache-bytes-max",
    "0",
  ]);
  try {
    const address = await addressOf(server.stdout);
    const probe = probing(`${address}/health/live`);
    const url = `${address}/Api/LoadTests/${id}${path}`;
    const cold = await asked(url);
    const warm = await asked(url);
    const stall = await probe.stop();
    const status = readFileSync(`/proc/${server.pid}/status`, "utf8");
    const peak = Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024;
    const times = [cold.ms, warm.ms].map((ms) => `${ms.toFixed(0)} ms`).join(" | ");
    return `| ${question} | ${times} | ${(cold.bytes / 1000).toFixed(0)} KB (${cold.status}) | ${stall.toFixed(0)} ms | ${peak.toFixed(0)} MB |`;
  } finally {
    server.kill();
  }
}

function addressOf(lines: NodeJS.ReadableStream | null): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    lines?.on("data", (piece: Buffer) => {
      text += piece.toString();
      const found = /http:\/\/[\d.]+:\d+/.exec(text)?.[0];
      if (found !== undefined) resolve(found);
    });
  });
}

interface Asked {
  readonly ms: number;
  readonly bytes: number;
  readonly status: number | undefined;
}

function asked(url: string): Promise<Asked> {
  const began = performance.now();
  return new Promise((resolve, reject) => {
    const sent = request(url, { headers: { "X-Service-Auth": key } }, (response) => {
      let bytes = 0;
      response.on("data", (piece: Buffer) => (bytes += piece.length));
      response.on("error", reject);
      response.on("end", () =>
        resolve({ ms: performance.now() - began, bytes, status: response.statusCode }),
      );
    });
    sent.on("error", reject);
    sent.end();
  });
}

/** Asks something small over and over; the longest wait for it. */
function probing(url: string): { stop(): Promise<number> } {
  let longest = 0;
  const stop = new AbortController();
  const probe = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      longest = Math.max(longest, (await asked(url)).ms);
      await new Promise((resolve) => setTimeout(resolve, PROBE_MS));
    }
  };
  const done = probe();
  return {
    async stop() {
      stop.abort();
      await done;
      return longest;
    },
  };
}
