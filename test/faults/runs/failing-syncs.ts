import assert from "node:assert/strict";
import path from "node:path";
import { makeFolder } from "../disk/data-folder.ts";
import { failCalls } from "../disk/failing-calls.ts";
import { requireRefused, withServer } from "../disk/fault-server.ts";
import { LoneSender } from "../disk/lone-sender.ts";
import type { Fault, FaultContext, FaultFigures } from "../frame/fault.ts";

const SYNCS_MAX = 8;
/** strace counts the calls of each thread for itself, and four threads sync. */
const BATCHES_MAX = 4 * SYNCS_MAX + 8;
const REFUSALS = 3;

export const failingSyncs: Fault = {
  id: "C8",
  title:
    "The Nth sync of a server fails, once or from then on: its batch is not acknowledged, nothing more is written until a restart, reading goes on, and after the restart all is there.",
  rounds: { fast: 4, nightly: 4 * SYNCS_MAX, release: 8 * SYNCS_MAX },
  programs: ["strace"],

  async run({ rounds, folder }: FaultContext): Promise<FaultFigures> {
    const data = path.join(folder, "data");
    const key = await makeFolder(data);
    const sender = new LoneSender();
    let slowestMs = 0;
    for (let round = 0; round < rounds; round++) {
      const nth = 1 + (Math.floor(round / 2) % SYNCS_MAX);
      const isLasting = round % 2 === 1;
      await withServer({ folder: data, key }, async (server) => {
        slowestMs = Math.max(slowestMs, await sender.resume(server));
        const calls = { calls: "fsync,fdatasync", error: "EIO", nth, isLasting } as const;
        const tracer = await failCalls(server, data, calls);
        const refusal = await sender.sendUntilRefused(server, BATCHES_MAX);
        assert.ok(refusal !== undefined, `sync ${nth} failed, and every batch was acknowledged`);
        requireRefused(refusal, "store-unusable");
        await sender.requireRefusals(server, "store-unusable", REFUSALS);
        await tracer.detach();
        await sender.requireRefusals(server, "store-unusable", REFUSALS);
        // Killed: the files after a failed sync must be enough for the next start.
        await (isLasting ? server.kill() : server.stop());
      });
      await sender.requireStored(data);
    }
    const acknowledged = sender.acknowledged;
    return { syncs: rounds, "longest ms to resume": slowestMs, acknowledged, early: 0, lost: 0 };
  },
};
