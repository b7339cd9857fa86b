import assert from "node:assert/strict";
import { statfsSync } from "node:fs";
import path from "node:path";
import { loadTest } from "../../support/load-tests.ts";
import { makeFolder } from "../disk/data-folder.ts";
import { requireRefused, withServer } from "../disk/fault-server.ts";
import { LoneSender } from "../disk/lone-sender.ts";
import { Ballast, withSmallDisk } from "../disk/small-disk.ts";
import type { Fault, FaultContext, FaultFigures } from "../frame/fault.ts";

const BATCHES_MAX = 2000;
const REFUSALS = 5;
const FREED_BYTES = 2 * 1024 ** 2;
/** What every disk keeps free, and the share of it that writes in progress may have used. */
const FLOOR_SHARE = 1 / 20;
const LEFT_SHARE_MIN = 0.5;

export const freeFloor: Fault = {
  id: "C10",
  title:
    "Less of the disk is free than is to be left free: batches are refused before it is full, reading and deleting go on, and writes resume within 5 s.",
  rounds: { fast: 1, nightly: 5, release: 10 },
  programs: ["mount"],

  async run({ rounds, folder }: FaultContext): Promise<FaultFigures> {
    let [slowestMs, leastPercent] = [0, 100];
    for (let round = 0; round < rounds; round++) {
      await withSmallDisk(folder, "tmpfs", async (disk) => {
        const data = path.join(disk, "data");
        const key = await makeFolder(data, ({ loadTests }) => loadTests.create(loadTest("other")));
        const sender = new LoneSender();
        await withServer({ folder: data, key }, async (server) => {
          await sender.resume(server);
          const ballast = new Ballast(disk);
          ballast.fill(FREED_BYTES);
          ballast.free();
          const refusal = await sender.sendUntilRefused(server, BATCHES_MAX);
          assert.ok(refusal !== undefined, "a disk that is nearly full must refuse batches");
          requireRefused(refusal, "storage-full");
          await sender.requireRefusals(server, "storage-full", REFUSALS);
          leastPercent = Math.min(leastPercent, percentFree(disk));
          assert.equal((await server.get("/health/live")).status, 200);
          assert.equal((await server.delete("/Api/LoadTests/other")).status, 204);
          ballast.freeRest();
          slowestMs = Math.max(slowestMs, await sender.resume(server));
          await server.stop();
        });
        await sender.requireStored(data);
      });
    }
    const floorPercent = 100 * FLOOR_SHARE * LEFT_SHARE_MIN;
    assert.ok(leastPercent >= floorPercent, `only ${leastPercent} % of the disk were left free`);
    return { "percent left free": leastPercent, "longest ms to resume": slowestMs };
  },
};

function percentFree(disk: string): number {
  const { bavail, blocks } = statfsSync(disk);
  return Math.round((1000 * bavail) / blocks) / 10;
}
