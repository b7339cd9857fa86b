import { appendFile, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type RunningTachograph,
  runTachograph,
  startTachograph,
} from "../support/run-tachograph.ts";

/** The promise is 2 s. Tests run beside others, and starting a process to look takes its time. */
const FRESH_MS = 6000;

const HEADER = "timeStamp,elapsed,label,success\n";

let folder = "";
const started: RunningTachograph[] = [];

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "tachograph-follow-"));
});

afterAll(async () => {
  for (const running of started) running.process.kill("SIGKILL");
  await rm(folder, { recursive: true });
});

function start(words: readonly string[]): RunningTachograph {
  const running = startTachograph(words);
  started.push(running);
  return running;
}

async function get(url: string, key: string): Promise<unknown> {
  const answer = await fetch(url, { headers: { "X-Service-Auth": key } });
  return answer.ok ? answer.json() : undefined;
}

/** Asks until the answer holds so many requests. Answers how long that took. */
async function waitFor(requests: number, url: string, key: string): Promise<number> {
  const startedAtMs = performance.now();
  for (;;) {
    const [item] = ((await get(url, key)) ?? []) as { data: string[][] }[];
    const counts = item?.data.slice(1).map((row) => Number(row[2])) ?? [];
    if (counts.reduce((sum, count) => sum + count, 0) === requests) {
      return performance.now() - startedAtMs;
    }
    if (performance.now() - startedAtMs > 20_000)
      throw new Error(`${requests} requests never came`);
    await setTimeout(20);
  }
}

/** Asks until the summary of the load test `run` mentions this second. */
async function untilSummarised(second: string, data: string): Promise<void> {
  const words = ["summary", "run", "--json", "--data", data];
  while (!(await runTachograph(words)).out.includes(second)) await setTimeout(50);
}

test("what a tool writes is in the answers at once, sent or not, until a signal ends it", async () => {
  const data = path.join(folder, "server");
  const server = start(["serve", "--demo", "--port", "0", "--data", data]);
  const greeting = await server.printed("demo-key\n");
  const base = /http:\/\/127\.0\.0\.1:\d+/.exec(greeting)?.[0] ?? "";
  const made = ["keys", "create", "--name", "all", "--scope", "read,write", "--data", data];
  const key = (await runTachograph(made)).out.trim();
  const [near, far] = [path.join(folder, "near.jtl"), path.join(folder, "far.jtl")];
  const following = [
    start(["import", "--follow", near, "--id", "near", "--data", data]),
    start(["import", "--follow", far, "--id", "far", "--url", base, "--key", key]),
  ];
  const urls = ["near", "far"].map(
    (id) => `${base}/Api/Metrics?loadTestId=${id}&filter=a&format=csv`,
  );
  await Promise.all(
    [near, far].map((file) => writeFile(file, `${HEADER}1790000000000,5,a,true\n`)),
  );
  await Promise.all(urls.map((url) => waitFor(1, url, key)));
  await Promise.all([near, far].map((file) => appendFile(file, "1790000001000,5,a,true\n")));
  const delays = await Promise.all(urls.map((url) => waitFor(2, url, key)));
  expect(Math.max(...delays)).toBeLessThan(FRESH_MS);
  await Promise.all([near, far].map((file) => appendFile(file, "1790000002000,5,a")));
  for (const { process } of following) process.kill("SIGTERM");
  const outcomes = await Promise.all(following.map(({ outcome }) => outcome));
  expect(outcomes.map(({ exitCode }) => exitCode)).toEqual([3, 3]);
  for (const { out } of outcomes) expect(out).toContain("1 endpoint (jmeter-csv");
  const summaries = await Promise.all(urls.map((url) => waitFor(2, url, key)));
  expect(summaries).toHaveLength(2);
});

test("a file that is rotated is followed into the next one, with a report for each", async () => {
  const data = path.join(folder, "rotated");
  const file = path.join(folder, "rotated.jtl");
  await writeFile(file, `${HEADER}1790000000000,5,a,true\n`);
  const running = start(["import", "--follow", file, "--id", "run", "--json", "--data", data]);
  await untilSummarised("1790000000", data);
  await rename(file, `${file}.1`);
  await appendFile(`${file}.1`, "1790000001000,5,a,true\n");
  await writeFile(file, `${HEADER}1790000002000,5,a,true\n`);
  await untilSummarised("1790000002", data);
  running.process.kill("SIGTERM");
  const { exitCode, out } = await running.outcome;
  expect(exitCode).toBe(0);
  const recorded = (JSON.parse(out) as { samples: { recorded: number } }[]).map(
    ({ samples }) => samples.recorded,
  );
  expect(recorded).toEqual([2, 1]);
});

test.each([
  [["--url", "ftp://x", "--key", "k"], 2, "not the URL of a server"],
  [["--url", "http://127.0.0.1:1"], 2, "an access key for the server is required"],
])("import %j is refused with a sentence", async (options, exitCode, message) => {
  const outcome = await runTachograph(["import", "x.jtl", ...options]);
  expect(outcome.exitCode).toBe(exitCode);
  expect(outcome.error).toContain(message);
});
