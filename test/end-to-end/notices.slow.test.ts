import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runTachograph, startTachograph } from "../support/run-tachograph.ts";

let folder = "";
let data = "";

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "tachograph-notices-"));
  data = path.join(folder, "data");
});

afterAll(() => rm(folder, { recursive: true }));

async function run(...words: readonly string[]): Promise<string> {
  const done = await runTachograph([...words, "--data", data]);
  expect(done).toMatchObject({ exitCode: 0 });
  return done.out;
}

test("a server tags finished runs and posts a failure once, also after a restart", async () => {
  const results = path.join(folder, "results.jtl");
  const thresholds = path.join(folder, "thresholds.yaml");
  const row = `${Date.now() - 1000},120,GET /cart,true\n`;
  await writeFile(results, `timeStamp,elapsed,label,success\n${row}`);
  await writeFile(thresholds, "thresholds:\n  - failIf: [max > 100ms]\n");
  await run("import", results, "--id", "slow", "--name", "shop");
  await run("tests", "finish", "slow");
  await run("thresholds", "set", "shop", thresholds);
  const posted: string[] = [];
  const { promise: arrived, resolve } = Promise.withResolvers<void>();
  const receiver = createServer(async (request, response) => {
    posted.push(await text(request));
    response.writeHead(204).end();
    resolve();
  }).listen(0, "127.0.0.1");
  await once(receiver, "listening");
  const address = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  const words = ["serve", "--port", "0", "--data", data, "--notify", address];
  words.push("--public-url", "https://results.example.org/");
  const server = startTachograph(words);
  await arrived;
  server.process.kill("SIGTERM");
  await server.outcome;
  expect(posted.map((body) => JSON.parse(body) as unknown)).toMatchObject([
    {
      event: "thresholds-failed",
      loadTest: { id: "slow", name: "shop" },
      address: "https://results.example.org/t/slow",
      verdict: { thresholds: [{ failIf: "max > 100ms", measured: 0.12, fails: true }] },
    },
  ]);
  expect(await run("tests", "show", "slow")).toContain("thresholds-failed");
  const again = startTachograph(words);
  await again.printed("http://");
  again.process.kill("SIGTERM");
  const { error } = await again.outcome;
  expect(error).not.toContain("thresholds_failed");
  expect(posted).toHaveLength(1);
  receiver.close();
});

test("a window that breaks while a run has live data is posted once, though the server is killed before it can", async () => {
  const results = path.join(folder, "live.jtl");
  const thresholds = path.join(folder, "windows.yaml");
  const startMs = (Math.floor(Date.now() / 1000) - 60) * 1000;
  const rows = Array.from({ length: 120 }, (_, at) => {
    const label = at % 2 === 0 ? "GET /cart" : "POST /pay";
    return `${startMs + at * 500},120,${label},${at < 60 || label === "GET /cart"}\n`;
  });
  await writeFile(results, `timeStamp,elapsed,label,success\n${rows.join("")}`);
  await writeFile(thresholds, "thresholds:\n  - failIf: [errors > 40% over 10s]\n");
  await run("thresholds", "set", "live", thresholds);
  const statuses = [503];
  const posted: { readonly status: number; readonly body: string }[] = [];
  const arrived = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const receiver = createServer(async (request, response) => {
    const body = await text(request);
    // The run fails at its end, too, which may be told first.
    const isBroken = body.includes("thresholds-broken");
    const status = (isBroken ? statuses.shift() : undefined) ?? 204;
    if (isBroken) posted.push({ status, body });
    response.writeHead(status).end();
    arrived[posted.length - 1]?.resolve();
  }).listen(0, "127.0.0.1");
  await once(receiver, "listening");
  const address = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  const words = ["serve", "--port", "0", "--data", data, "--notify", address];
  words.push("--public-url", "https://results.example.org/");
  const server = startTachograph(words);
  await server.printed("http://");
  await run(
    "import",
    results,
    "--id",
    "live",
    "--name",
    "live",
    "--follow",
    "--still-seconds",
    "1",
  );
  await arrived[0]?.promise;
  server.process.kill("SIGKILL");
  await server.outcome;
  const next = startTachograph(words);
  await arrived[1]?.promise;
  next.process.kill("SIGTERM");
  await next.outcome;
  const last = startTachograph(words);
  await last.printed("http://");
  await new Promise((resolve) => setTimeout(resolve, 8000));
  last.process.kill("SIGTERM");
  await last.outcome;
  receiver.close();
  expect(posted.map(({ status }) => status)).toEqual([503, 204]);
  // From the 30th second on, every second request fails: 5 of 10 s are 25 %, 9 are 45 %. Two windows in a row: from 29 and from 39.
  const from = startMs / 1000 + 39;
  expect(JSON.parse(posted[1]?.body ?? "")).toMatchObject({
    event: "thresholds-broken",
    id: expect.stringMatching(/^thresholds-broken \d+ live$/) as string,
    loadTest: { id: "live", name: "live" },
    address: "https://results.example.org/t/live",
    thresholds: [
      {
        failIf: "errors > 40% over 10s",
        measured: 0.5,
        window: { from, until: from + 10, requests: 20, failedRequests: 10 },
        endpoints: [
          { label: "POST /pay", requests: 10, failedRequests: 10 },
          { label: "GET /cart", requests: 10, failedRequests: 0 },
        ],
      },
    ],
    count: 1,
  });
}, 120_000);
