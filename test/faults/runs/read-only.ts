import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import path from "node:path";
import { loadTest } from "../../support/load-tests.ts";
import { runTachograph } from "../../support/run-tachograph.ts";
import { makeFolder, STORE_FILE } from "../disk/data-folder.ts";
import { METRICS, requireRefused, withServer } from "../disk/fault-server.ts";
import { LoneSender } from "../disk/lone-sender.ts";
import { withSmallDisk } from "../disk/small-disk.ts";
import type { Fault, FaultContext, FaultFigures } from "../frame/fault.ts";

const BATCHES = 5;
const METRICS_WORDS = ["metrics", "run", "--filter", "endpoint", "--format", "csv"];

export const readOnly: Fault = {
  id: "C12b",
  title:
    "The disk is read-only: commands that read, and serve --read-only, answer all that was acknowledged, also from a log that a kill has left, and refuse everything else.",
  rounds: { fast: 1, nightly: 2, release: 5 },
  programs: ["mount"],

  async run({ rounds, folder }: FaultContext): Promise<FaultFigures> {
    let [commands, refusals] = [0, 0];
    for (let round = 0; round < rounds; round++) {
      await withSmallDisk(folder, "tmpfs", async (disk) => {
        const places = ["killed", "closed", "cut"].map((name) => path.join(disk, name));
        const [killed = "", closed = "", cut = ""] = places;
        const key = await makeFolder(killed, ({ loadTests }) =>
          loadTests.create(loadTest("other")),
        );
        const stored = await fillAndKill(killed, key);
        for (const copy of [closed, cut]) cpSync(killed, copy, { recursive: true });
        assert.equal((await runTachograph(["verify", "--data", closed])).exitCode, 0);
        rmSync(path.join(cut, `${STORE_FILE}-shm`));
        execFileSync("mount", ["-o", "remount,ro", disk]);
        for (const data of [killed, closed]) {
          commands += await requireReading(data, stored, path.join(folder, `backup-${round}`));
          refusals += await requireServing(data, key, stored);
        }
        const { exitCode, error } = await runTachograph([...METRICS_WORDS, "--data", cut]);
        assert.equal(exitCode, 1, "a log without its index must not be passed over");
        assert.match(error, /tachograph verify/);
      });
    }
    return { commands, "writes refused": refusals, "answers that were not all": 0 };
  },
};

/** Returns what is stored; some of it is still in the log. */
async function fillAndKill(folder: string, key: string): Promise<string> {
  return withServer({ folder, key }, async (server) => {
    const sender = new LoneSender();
    for (let batch = 0; batch < BATCHES; batch++) {
      assert.equal((await sender.send(server)).status, 200);
    }
    const { text } = await server.get(METRICS);
    await server.kill();
    return text;
  });
}

/** Returns how many commands ran. */
async function requireReading(data: string, stored: string, backup: string): Promise<number> {
  const reading = [
    ["summary", "run"],
    ["failures", "run"],
    ["compare", "run", "run"],
    ["check", "run", "--fail-if", "requests < 1"],
    ["tests", "list"],
    ["keys", "list"],
    ["report", "run", "--output", `${backup}.html`],
    ["backup", backup],
    ["verify"],
  ];
  const run = (words: readonly string[]) => runTachograph([...words, "--data", data]);
  const { exitCode, out, error } = await run(METRICS_WORDS);
  assert.equal(exitCode, 0, error);
  assert.ok(out.trimEnd() === stored, "what a command reads is not all");
  for (const words of reading) {
    const done = await run(words);
    assert.equal(done.exitCode, 0, `${words.join(" ")}: ${done.error}`);
  }
  const deleting = await run(["tests", "delete", "run"]);
  assert.equal(deleting.exitCode, 1);
  assert.match(deleting.error, /read-only/);
  for (const file of [backup, `${backup}.html`]) rmSync(file);
  return reading.length + 1;
}

/** Returns how many writes were rejected. */
async function requireServing(folder: string, key: string, stored: string): Promise<number> {
  return withServer({ folder, key, words: ["--read-only"] }, async (server) => {
    assert.equal((await server.get("/health/ready")).status, 200);
    assert.ok((await server.get(METRICS)).text === stored, "what is served is not all");
    requireRefused(await new LoneSender().send(server), "store-read-only", 403);
    requireRefused(await server.delete("/Api/LoadTests/other"), "store-read-only", 403);
    await server.stop();
    return 2;
  });
}
