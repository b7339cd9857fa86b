import assert from "node:assert/strict";
import { appendFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import {
  type RunningTachograph,
  runTachograph,
  startTachograph,
} from "../../support/run-tachograph.ts";
import { answersIn } from "../around/answers.ts";
import { ServedStore } from "../around/served-store.ts";
import type { Fault, FaultContext, FaultFigures } from "../frame/fault.ts";

const KILL_WITHIN_MS = 3000;
const WRITE_EACH_MS = 40;
const FOLLOW = ["import", "--follow", "--id", "run", "--still-seconds", "3600", "--json"];

/**
 * A tool writes a file; one process follows it into a local store, another one sends it to a server.
 */
export const killFollowers: Fault = {
  id: "C1c",
  title:
    "Two followers of a growing file and the server that one of them sends to are killed again and again: what is stored is what a plain import gives.",
  rounds: { fast: 2, nightly: 30, release: 60 },

  async run({ rounds, folder, random }: FaultContext): Promise<FaultFigures> {
    const file = path.join(folder, "results.jtl");
    await using server = await ServedStore.startIn(path.join(folder, "server"));
    const running: RunningTachograph[] = [];
    const follow = (words: readonly string[]): RunningTachograph => {
      const started = startTachograph([...FOLLOW, file, ...words]);
      running.push(started);
      return started;
    };
    const address = ["--url", server.url, "--key", server.key];
    const send = () => follow([...address, "--data", path.join(folder, "sender")]);
    const keep = () => follow(["--data", path.join(folder, "near")]);
    const kills = { times: rounds, random };
    try {
      let isOver = false;
      const writing = writeRows(file, () => isOver, random);
      const [sender, keeper] = await Promise.all([
        killAgainAndAgain(kills, send),
        killAgainAndAgain(kills, keep),
        killServer(kills, server),
      ]);
      isOver = true;
      const rows = await writing;
      for (const follower of [sender, keeper]) await requireWholeReport(follower, rows);
      server.running.process.kill("SIGTERM");
      await server.running.outcome;
      await runTachograph(["import", file, "--id", "run", "--data", path.join(folder, "plain")]);
      const plain = await answersIn(path.join(folder, "plain"), "endpoint");
      assert.deepEqual(await answersIn(server.data, "endpoint"), plain);
      assert.deepEqual(await answersIn(path.join(folder, "near"), "endpoint"), plain);
      return { kills: 3 * rounds, rows, "lost or doubled": 0 };
    } finally {
      for (const each of running) each.process.kill("SIGKILL");
    }
  },
};

interface Kills {
  readonly times: number;
  readonly random: () => number;
}

/** Kills what `begin` starts after random times, then starts it once more. */
async function killAgainAndAgain(
  { times, random }: Kills,
  begin: () => RunningTachograph,
): Promise<RunningTachograph> {
  let current = begin();
  for (let kill = 0; kill < times; kill++) {
    await setTimeout(random() * KILL_WITHIN_MS);
    current.process.kill("SIGKILL");
    const { exitCode, error } = await current.outcome;
    assert.equal(exitCode, undefined, `it ended before it was killed: ${error}`);
    current = begin();
  }
  return current;
}

async function killServer({ times, random }: Kills, server: ServedStore): Promise<void> {
  for (let kill = 0; kill < times; kill++) {
    await setTimeout(random() * KILL_WITHIN_MS);
    await server.kill();
    await server.start();
  }
}

/** Writes rows until `isOver`, sometimes the last of them in two halves. Returns how many. */
async function writeRows(
  file: string,
  isOver: () => boolean,
  random: () => number,
): Promise<number> {
  await appendFile(file, "timeStamp,elapsed,label,responseCode,responseMessage,success,bytes\n");
  let rows = 0;
  while (!isOver()) {
    const count = 1 + Math.floor(random() * 30);
    const lines = Array.from({ length: count }, () => rowAt(rows++)).join("");
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

async function requireWholeReport(follower: RunningTachograph, rows: number): Promise<void> {
  await follower.logged("following");
  follower.process.kill("SIGTERM");
  const { exitCode, out, error } = await follower.outcome;
  assert.equal(exitCode, 0, error);
  const { loadTestId, samples, truncatedAt } = JSON.parse(out) as Record<string, unknown>;
  const expected = { read: rows, recorded: rows, rejected: 0 };
  assert.deepEqual(
    { loadTestId, samples, truncatedAt },
    { loadTestId: "run", samples: expected, truncatedAt: null },
  );
}
