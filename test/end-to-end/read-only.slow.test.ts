import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { BATCH_MEDIA_TYPE, encodeBatch } from "../../src/wire/batch.ts";
import { batchOf, sample } from "../support/batches.ts";
import {
  type RunningTachograph,
  runTachograph,
  startTachograph,
} from "../support/run-tachograph.ts";

const RESULTS = "timeStamp,elapsed,label,success\n1700000000000,120,GET /cart,true\n";

interface Sent {
  readonly type: string;
  readonly body: BodyInit;
}

const json = (value: unknown): Sent => ({ type: "application/json", body: JSON.stringify(value) });
const csv: Sent = { type: "text/csv", body: RESULTS };
const batch: Sent = {
  type: BATCH_MEDIA_TYPE,
  body: Buffer.from(encodeBatch(batchOf([sample("a", 1, 10)]))),
};
const lines: Sent = {
  type: "text/plain",
  body: "http_req_duration,name=a value=1 1700000000000000000",
};

let folder = "";
let data = "";
let admin = "";
let reader = "";
let server: RunningTachograph;
let url = "";
let before: readonly unknown[] = [];

async function run(...words: readonly string[]): Promise<string> {
  const done = await runTachograph([...words, "--data", data]);
  expect(done).toMatchObject({ exitCode: 0 });
  return done.out.trim();
}

async function contentsOf(directory: string): Promise<readonly unknown[]> {
  const names = await readdir(directory);
  const { mode, mtimeMs } = await stat(directory);
  const files = names.map((name) => readFile(path.join(directory, name)));
  return [names, mode, mtimeMs, await Promise.all(files)];
}

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "tachograph-read-only-"));
  data = path.join(folder, "data");
  const results = path.join(folder, "results.jtl");
  await writeFile(results, RESULTS);
  await run("import", results, "--id", "run");
  admin = await run("keys", "create", "--name", "anna", "--scope", "admin");
  reader = await run("keys", "create", "--name", "reader", "--scope", "read");
  before = await contentsOf(data);
  server = startTachograph(["serve", "--read-only", "--port", "0", "--data", data]);
  url = /http:\/\/[\d.:]+/.exec(await server.printed("http://"))?.[0] ?? "";
});

afterAll(async () => {
  server.process.kill("SIGKILL");
  await rm(folder, { recursive: true });
});

async function ask(key: string, method: string, target: string, sent?: Sent) {
  const headers = { "X-Service-Auth": key, ...(sent && { "Content-Type": sent.type }) };
  const response = await fetch(url + target, { method, headers, body: sent?.body ?? null });
  return { status: response.status, text: await response.text() };
}

test("it is ready and reads, and keys are checked as usual", async () => {
  expect((await ask("", "GET", "/health/ready")).status).toBe(200);
  const target = "/Api/Metrics?loadTestId=run&filter=cart&format=csv";
  expect(await ask(reader, "GET", target)).toMatchObject({
    status: 200,
    text: expect.stringContaining("GET /cart"),
  });
  expect((await ask("", "GET", target)).status).toBe(401);
  expect((await ask("", "DELETE", "/Api/LoadTests/run")).status).toBe(401);
  const refused = await ask(reader, "DELETE", "/Api/LoadTests/run");
  expect(refused).toMatchObject({ status: 403, text: expect.stringContaining("missing-scope") });
});

test.each<[method: string, target: string, sent?: Sent]>([
  ["POST", "/Api/LoadTests", json({ id: "other" })],
  ["PATCH", "/Api/LoadTests/run", json({ name: "other" })],
  ["DELETE", "/Api/LoadTests/run"],
  ["POST", "/Api/LoadTests/run/Results?file=new.jtl", csv],
  ["POST", "/Api/Results?file=new.jtl", csv],
  ["POST", "/Api/LoadTests/run/Batches", batch],
  ["DELETE", "/Api/LoadTests/run/Sources/any"],
  ["POST", "/write?db=run", lines],
  ["POST", "/Api/Keys", json({ name: "new", scopes: ["read"] })],
  ["DELETE", "/Api/Keys/reader"],
  ["PUT", "/Api/Thresholds/shop", json({ thresholds: [] })],
  ["DELETE", "/Api/Thresholds/shop"],
])("%s %s is refused, and says why", async (...parameters) => {
  expect(await ask(admin, ...parameters)).toMatchObject({
    status: 403,
    text: expect.stringContaining("read-only"),
  });
});

test("the directory is as it was, while it serves and afterwards", async () => {
  expect(await contentsOf(data)).toEqual(before);
  server.process.kill("SIGTERM");
  expect((await server.outcome).exitCode).toBe(0);
  expect(await contentsOf(data)).toEqual(before);
});

test("it does not go together with what writes", async () => {
  const { exitCode, error } = await runTachograph(["serve", "--read-only", "--demo"]);
  expect(exitCode).toBe(2);
  expect(error).toContain("--read-only");
});
