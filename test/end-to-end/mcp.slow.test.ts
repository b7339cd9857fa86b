/** The tools for language models, asked by the client of the protocol's own SDK. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  PROGRAM,
  type RunningTachograph,
  runTachograph,
  startTachograph,
} from "../support/run-tachograph.ts";

const ROOT = path.join(import.meta.dirname, "../..");

let folder = "";
let server: RunningTachograph;
let elsewhere: readonly string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "tachograph-mcp-"));
  const data = ["--data", folder];
  const names = ["--id", "shop", "--name", "Shop"];
  await runTachograph(["import", path.join(ROOT, "examples/demo/shop.jtl.gz"), ...names, ...data]);
  const again = ["--id", "other", "--name", "Other"];
  await runTachograph(["import", path.join(ROOT, "examples/demo/shop.jtl.gz"), ...again, ...data]);
  const { out } = await runTachograph(["keys", "create", "--name", "model", ...data]);
  server = startTachograph(["serve", "--port", "0", ...data]);
  const greeting = await server.printed("answers at http://127.0.0.1:");
  elsewhere = ["--url", /http:\S+/.exec(greeting)?.[0] ?? "", "--key", out.trim()];
});

afterAll(async () => {
  server.process.kill("SIGTERM");
  await server.outcome;
  await rm(folder, { recursive: true });
});

async function ask<Told>(
  place: readonly string[],
  questions: (client: Client) => Promise<Told>,
): Promise<Told> {
  const client = new Client({ name: "test", version: "1" });
  const args = [PROGRAM, "mcp", ...place];
  await client.connect(new StdioClientTransport({ command: process.execPath, args }));
  try {
    return await questions(client);
  } finally {
    await client.close();
  }
}

const QUESTIONS = [
  { name: "list_load_tests", arguments: {} },
  { name: "summarise_load_test", arguments: { id: "shop", limit: 5 } },
  { name: "read_series", arguments: { id: "shop", points: 6 } },
  { name: "read_findings", arguments: { id: "shop" } },
  { name: "read_failures", arguments: { id: "shop" } },
  { name: "read_samples", arguments: { id: "shop" } },
  { name: "read_measures", arguments: { id: "shop" } },
  { name: "read_capacity", arguments: { id: "shop" } },
  { name: "compare_load_tests", arguments: { base: "shop", id: "shop" } },
  { name: "compare_several", arguments: { ids: ["shop", "other"] } },
  { name: "read_trend", arguments: { name: "Shop" } },
];

function answersAt(place: readonly string[]) {
  return ask(place, async (client) => {
    const answers: unknown[] = [];
    for (const question of QUESTIONS) answers.push(await client.callTool(question));
    return answers;
  });
}

test("every tool answers the same over a data directory and over a server", async () => {
  const answers = await answersAt(["--data", folder]);
  for (const answer of answers) expect(answer).not.toHaveProperty("isError", true);
  // 9,225 requests: see examples/demo/README.md.
  expect(JSON.stringify(answers[1])).toContain(String.raw`\"count\":9225`);
  expect(await answersAt(elsewhere)).toEqual(answers);
});

test("tools say that they only read, and mistakes are explained", async () => {
  const { tools, mistake } = await ask(["--data", folder], async (client) => ({
    tools: (await client.listTools()).tools,
    mistake: await client.callTool({ name: "read_findings", arguments: { id: "no" } }),
  }));
  expect(new Set(tools.map(({ name }) => name))).toEqual(
    new Set(QUESTIONS.map(({ name }) => name)),
  );
  expect(tools.map(({ annotations }) => annotations?.readOnlyHint)).toEqual(tools.map(() => true));
  expect(mistake).toMatchObject({ isError: true });
  expect(JSON.stringify(mistake)).toContain("no run");
});

test("a wrong store is reported before the first call", async () => {
  const outcome = await runTachograph(["mcp", "--data", path.join(folder, "nothing")]);
  expect(outcome).toMatchObject({ exitCode: 1, out: "" });
  expect(outcome.error).toContain("there is no store");
});

test("it ends when its client hangs up", async () => {
  const { exitCode, out } = await runTachograph(["mcp", "--data", folder]);
  expect({ exitCode, out }).toEqual({ exitCode: 0, out: "" });
});
