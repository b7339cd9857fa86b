import assert from "node:assert/strict";
import path from "node:path";
import { makeFolder } from "../disk/data-folder.ts";
import { failCalls } from "../disk/failing-calls.ts";
import { requireRefused, withServer } from "../disk/fault-server.ts";
import { LoneSender, requireReadable } from "../disk/lone-sender.ts";
import type { Fault, FaultContext, FaultFigures } from "../frame/fault.ts";

/** More writes than a batch makes. */
const WRITES_MAX = 120;
/** Enough for all writes up to the failing one. */
const BATCHES_MAX = 12;

export const fullOnce: Fault = {
  id: "C6",
  title:
    "The Nth write of a server finds no room, once: its batch is refused with storage-full, the same batch is taken the next time, nothing is lost or doubled.",
  rounds: { fast: 10, nightly: WRITES_MAX, release: WRITES_MAX },
  programs: ["strace"],

  async run({ rounds, folder }: FaultContext): Promise<FaultFigures> {
    const data = path.join(folder, "data");
    const key = await makeFolder(data);
    const sender = new LoneSender();
    let refused = 0;
    await withServer({ folder: data, key }, async (server) => {
      await sender.resume(server);
      for (let round = 0; round < rounds; round++) {
        const nth = 1 + Math.floor((round * WRITES_MAX) / rounds);
        const once = { calls: "pwrite64", error: "ENOSPC", nth, isLasting: false } as const;
        const tracer = await failCalls(server, data, once);
        const refusal = await sender.sendUntilRefused(server, BATCHES_MAX);
        if (refusal !== undefined) {
          refused += 1;
          requireRefused(refusal, "storage-full");
          await requireReadable(server);
          assert.equal((await sender.send(server)).status, 200, "the next one must be taken");
        }
        await tracer.detach();
      }
      await server.stop();
    });
    // A failed checkpoint write may go unreported: it is repeated.
    assert.ok(refused >= rounds / 3, `only ${refused} of ${rounds} failing writes were noticed`);
    await sender.requireStored(data);
    return { refused, "batches acknowledged": sender.acknowledged, lost: 0 };
  },
};
