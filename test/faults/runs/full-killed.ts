import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import path from "node:path";
import { loadTest } from "../../support/load-tests.ts";
import { runTachograph } from "../../support/run-tachograph.ts";
import { makeFolder } from "../disk/data-folder.ts";
import { type FaultServer, METRICS, requireRefused, withServer } from "../disk/fault-server.ts";
import { LoneSender } from "../disk/lone-sender.ts";
import { Ballast, type DiskKind, withSmallDisk } from "../disk/small-disk.ts";
import type { Fault, FaultContext, FaultFigures } from "../frame/fault.ts";

const FREED_BYTES = 3 * 1024 ** 2;
const BATCHES_MAX = 2000;
/** No reserve: the disk itself must refuse. */
const WORDS = ["--free-bytes-min", "0"];
const KINDS: readonly DiskKind[] = ["tmpfs", "ext4"];
const READ = ["metrics", "run", "--filter", "endpoint", "--format", "csv"];
const READING = [READ, ["summary", "run"], ["tests", "list"], ["verify"]];

export const fullKilled: Fault = {
  id: "C9b",
  title:
    "The disk is full and the server is killed: commands and the next server open the store, read and verify; deleting works, and when there is room, so does writing.",
  rounds: { fast: 1, nightly: 5, release: 20 },
  programs: ["mkfs.ext4", "mount"],

  async run({ rounds, folder }: FaultContext): Promise<FaultFigures> {
    let slowestMs = 0;
    for (const kind of Array.from({ length: rounds }, () => KINDS).flat()) {
      await withSmallDisk(folder, kind, async (disk) => {
        const data = path.join(disk, "data");
        const key = await makeFolder(data, ({ loadTests }) => loadTests.create(loadTest("other")));
        const sender = new LoneSender();
        const [first, second] = [new Ballast(disk, "first"), new Ballast(disk, "second")];
        const serve = (use: (server: FaultServer) => Promise<void>): Promise<void> =>
          withServer({ folder: data, key, words: WORDS }, use);
        const fillAndKill = async (server: FaultServer, ballast: Ballast): Promise<string> => {
          await sender.resume(server);
          ballast.fill(FREED_BYTES);
          ballast.free();
          const refusal = await sender.sendUntilRefused(server, BATCHES_MAX);
          assert.ok(refusal !== undefined, "a full disk must refuse batches");
          requireRefused(refusal, "storage-full");
          const { text } = await server.get(METRICS);
          await server.kill();
          return text;
        };
        let stored = "";
        await serve(async (server) => {
          stored = await fillAndKill(server, first);
        });
        await requireReading(data, stored);
        await serve(async (server) => {
          assert.ok((await server.get(METRICS)).text === stored, "what is served is not all");
          assert.equal((await server.delete("/Api/LoadTests/other")).status, 204);
          first.freeRest();
          stored = await fillAndKill(server, second);
        });
        // Space without a reserve may have been taken by something else.
        rmSync(path.join(data, "tachograph.reserve"), { force: true });
        new Ballast(disk, "third").fill(0);
        await requireReading(data, stored);
        await serve(async (server) => {
          assert.equal((await server.get("/Api/LoadTests/other")).status, 404);
          second.freeRest();
          slowestMs = Math.max(slowestMs, await sender.resume(server));
          stored = (await server.get(METRICS)).text;
          await server.stop();
        });
        await sender.requireStored(data);
        // There is neither an index of the log nor room for one.
        rmSync(path.join(data, "tachograph.reserve"), { force: true });
        new Ballast(disk, "fourth").fill(0);
        await requireReading(data, stored);
      });
    }
    return { kills: 2 * KINDS.length * rounds, "longest ms to resume": slowestMs, lost: 0 };
  },
};

async function requireReading(data: string, stored: string): Promise<void> {
  for (const words of READING) {
    const { exitCode, out, error } = await runTachograph([...words, "--data", data]);
    assert.equal(exitCode, 0, `${words.join(" ")} on a full disk: ${error}`);
    if (words === READ) assert.ok(out.trimEnd() === stored, "what a command reads is not all");
  }
}
