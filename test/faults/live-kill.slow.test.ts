/**
 * A tool writes a file; one process follows it into a store beside it, another one sends it to a
 * server. All three are killed with -9 again and again (twice each, or TACHOGRAPH_KILLS) and started
 * anew by the same command. What is stored in the end is what a plain import of the file gives.
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

const FOLLOW = ["import", "--follow", "--id", "run", "--still-seconds", "3600", "--json"];

const send = (): RunningTachograph => {
  const server = ["--url", `http://127.0.0.1:${port}`, "--key", key];
  return start([...FOLLOW, file, ...server, "--data", data("sender")]);
};

/** Follows the same file into a store of this machine. */
const keep = (): RunningTachograph => start([...FOLLOW, file, "--data", data("near")]);

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
  `followers and a server killed ${KILLS} times each lose nothing and double nothing`,
  async () => {
    let isOver = false;
    const writing = writeRows(() => isOver);
    const killing = [send, keep, serve].map((begin) => killAgainAndAgain(begin));
    const [sender, keeper, server] = await Promise.all(killing);
    isOver = true;
    const rows = await writing;
    for (const follower of [sender, keeper]) {
      expect(await endOf(follower)).toMatchObject({
        exitCode: 0,
        report: {
          loadTestId: "run",
          samples: { read: rows, recorded: rows, rejected: 0 },
          cut: null,
        },
      });
    }
    server?.process.kill("SIGTERM");
    await server?.outcome;
    await runTachograph(["import", file, "--id", "run", "--data", data("plain")]);
    const plain = await answers("plain");
    expect(await answers("server")).toEqual(plain);
    expect(await answers("near")).toEqual(plain);
  },
  60_000 + KILLS * 20_000,
);

async function endOf(follower: RunningTachograph | undefined): Promise<unknown> {
  await follower?.logged("following");
  follower?.process.kill("SIGTERM");
  const outcome = await follower?.outcome;
  return { exitCode: outcome?.exitCode, report: JSON.parse(outcome?.out ?? "null") as unknown };
}

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
