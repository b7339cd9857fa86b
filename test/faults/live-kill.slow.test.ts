/**
 * A tool writes a file, a sender follows it, a server takes what it sends; sender and server are
 * both killed with -9 again and again (twice each, or TACHOGRAPH_KILLS) and started anew by the same
 * command. What the server has in the end is what a plain import of the file gives.
 */

import { appendFile, mkdtemp, rm } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { randomFrom } from "../support/dense-points.ts";
import {
  type RunningTachograph,
  runTachograph,
  startTachograph,
} from "../support/run-tachograph.ts";

const KILLS = Number(process.env["TACHOGRAPH_KILLS"] ?? 2);
const KILL_WITHIN_MS = 3000;
const WRITE_EACH_MS = 40;

let folder = "";
let file = "";
let port = 0;
let key = "";
const running: RunningTachograph[] = [];
const random = randomFrom(Date.now());

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "tachograph-live-"));
  file = path.join(folder, "results.jtl");
  port = await freePort();
  const words = ["keys", "create", "--name", "sender", "--scope", "read,write"];
  await runTachograph([
    "import",
    path.join(import.meta.dirname, "../../demo/shop.jtl.gz"),
    "--data",
    data("server"),
  ]);
  key = (await runTachograph([...words, "--data", data("server")])).out.trim();
}, 60_000);

afterAll(async () => {
  for (const each of running) each.process.kill("SIGKILL");
  await rm(folder, { recursive: true });
});

function data(name: string): string {
  return path.join(folder, name);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const address = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return address.port;
}

function start(words: readonly string[]): RunningTachograph {
  const started = startTachograph(words);
  running.push(started);
  return started;
}

const serve = (): RunningTachograph =>
  start(["serve", "--port", String(port), "--data", data("server")]);

const send = (): RunningTachograph =>
  start([
    "import",
    "--follow",
    file,
    "--id",
    "run",
    "--url",
    `http://127.0.0.1:${port}`,
    "--key",
    key,
    "--data",
    data("sender"),
    "--still-seconds",
    "3600",
    "--json",
  ]);

/** Kills what `begin` starts, each time after a while of any length, and starts it once more. */
async function killAgainAndAgain(begin: () => RunningTachograph): Promise<RunningTachograph> {
  let current = begin();
  for (let kill = 0; kill < KILLS; kill++) {
    await setTimeout(random() * KILL_WITHIN_MS);
    expect(current.process.kill("SIGKILL")).toBe(true);
    expect((await current.outcome).exitCode).toBeUndefined();
    current = begin();
  }
  return current;
}

/** Writes rows until `isOver`, sometimes the last of them in two halves. Answers how many. */
async function writeRows(isOver: () => boolean): Promise<number> {
  await appendFile(file, "timeStamp,elapsed,label,responseCode,responseMessage,success,bytes\n");
  let rows = 0;
  while (!isOver()) {
    const lines = Array.from({ length: 1 + Math.floor(random() * 30) }, () => rowAt(rows++)).join(
      "",
    );
    const cut = random() < 0.3 ? Math.floor(random() * lines.length) : lines.length;
    await appendFile(file, lines.slice(0, cut));
    await setTimeout(random() * WRITE_EACH_MS);
    await appendFile(file, lines.slice(cut));
  }
  return rows;
}

function rowAt(row: number): string {
  const failed = row % 13 === 0;
  const rest = failed ? "503,Busy,false,120" : "200,OK,true,640";
  return `${1_790_000_000_000 + row * 7},${(row * 37) % 900},endpoint ${row % 17},${rest}\n`;
}

test(
  `a sender and a server killed ${KILLS} times each lose nothing and double nothing`,
  async () => {
    let isOver = false;
    const writing = writeRows(() => isOver);
    const [sender, server] = await Promise.all([killAgainAndAgain(send), killAgainAndAgain(serve)]);
    isOver = true;
    const rows = await writing;
    await sender.logged("following");
    sender.process.kill("SIGTERM");
    const { exitCode, out, error } = await sender.outcome;
    expect({ exitCode, error }).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(out)).toMatchObject({
      loadTestId: "run",
      samples: { read: rows, recorded: rows, rejected: 0 },
      cut: null,
    });
    server.process.kill("SIGTERM");
    await server.outcome;
    await runTachograph(["import", file, "--id", "run", "--data", data("plain")]);
    expect(await answers("server")).toEqual(await answers("plain"));
  },
  60_000 + KILLS * 20_000,
);

/** What readers see: every number by second, percentiles, failures, and the requests of all. */
async function answers(store: string): Promise<unknown[]> {
  const commands = [
    ["metrics", "run", "--filter", "endpoint", "--format", "csv"],
    ["summary", "run", "--json"],
    ["failures", "run"],
  ];
  const outcomes = await Promise.all(
    commands.map((words) => runTachograph([...words, "--data", data(store)])),
  );
  expect(outcomes.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0]);
  return outcomes.map(({ out }) => out);
}
