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
