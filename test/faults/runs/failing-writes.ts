import assert from "node:assert/strict";
import path from "node:path";
import { makeFolder } from "../disk/data-folder.ts";
import { type FailingCalls, failCalls } from "../disk/failing-calls.ts";
import { requireRefused, withServer } from "../disk/fault-server.ts";
import { LoneSender } from "../disk/lone-sender.ts";
import type { Fault, FaultContext, FaultFigures } from "../frame/fault.ts";

const WRITES_MAX = 120;
const BATCHES_MAX = 12;
const REFUSALS = 3;

const WAYS = [
  { error: "ENOSPC", isLasting: true, code: "storage-full" },
  { error: "EIO", isLasting: true, code: "store-unusable" },
  { error: "EIO", isLasting: false, code: "store-unusable" },
] as const;

export const failingWrites: Fault = {
  id: "C7",
  title:
    "Writes of a server fail from the Nth on, for want of room or by the disk: each batch is refused, reading goes on, and once they succeed again the same process writes on within 5 s.",
  rounds: { fast: 9, nightly: 3 * WRITES_MAX, release: 3 * WRITES_MAX },
  programs: ["strace"],

  async run({ rounds, folder, random }: FaultContext): Promise<FaultFigures> {
    const data = path.join(folder, "data");
    const key = await makeFolder(data);
    const sender = new LoneSender();
    let [refused, slowestMs] = [0, 0];
    await withServer({ folder: data, key }, async (server) => {
      await sender.resume(server);
      for (let round = 0; round < rounds; round++) {
        const { code, ...way } = WAYS[round % WAYS.length] as (typeof WAYS)[number];
        const nth = 1 + Math.floor(random() * WRITES_MAX);
        const calls: FailingCalls = { calls: "pwrite64", ...way, nth };
        const tracer = await failCalls(server, data, calls);
        const refusal = await sender.sendUntilRefused(server, BATCHES_MAX);
        if (refusal !== undefined) {
          refused += 1;
          requireRefused(refusal, code);
          if (way.isLasting) await sender.requireRefusals(server, code, REFUSALS);
        }
        await tracer.detach();
        slowestMs = Math.max(slowestMs, await sender.resume(server));
      }
      await server.stop();
    });
    assert.ok(refused >= rounds / 2, `only ${refused} of ${rounds} failures were noticed`);
    await sender.requireStored(data);
    const acknowledged = sender.acknowledged;
    return { refused, "longest ms to resume": slowestMs, acknowledged, lost: 0 };
  },
};
