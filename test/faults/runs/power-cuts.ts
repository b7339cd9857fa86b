import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import path from "node:path";
import { killedBatch } from "../killed-batch.ts";
import { openFolder } from "../disk/data-folder.ts";
import { type DiskImage, replayCut } from "../disk/disk-image.ts";
import type { Ledger } from "../disk/ledger.ts";
import { recordServer, type RecordedServer } from "../disk/record-server.ts";
import type { Fault, FaultContext, FaultFigures } from "../frame/fault.ts";

/** Enough to fill the log twice, so that it is brought into the file and begun again. */
const BATCHES_EACH = 60;

export const powerCuts: Fault = {
  id: "C4",
  title:
    "The power is cut: unsynced writes of a recorded server are lost, reordered, torn at 512 bytes; every acknowledged batch is there once, none in part, and verify finds nothing.",
  rounds: { fast: 60, nightly: 500, release: 500 },
  programs: ["strace"],

  async run({ rounds, folder, random, log }: FaultContext): Promise<FaultFigures> {
    const recorded = await recordServer(folder, BATCHES_EACH);
    const { events } = recorded;
    log(`recorded ${events.length} events, replayed to the same files`);
    const answers = [...events.keys()].filter((at) => events[at]?.kind === "answer");
    let [kept, acknowledged] = [0, 0];
    for (let round = 0; round < rounds; round++) {
      // Every other time right after an answer has left, when most depends on the syncs before it.
      const places = round % 2 === 0 ? answers : [...events.keys()];
      const cutAt = (places[Math.floor(random() * places.length)] ?? 0) + 1;
      const image = replayCut(recorded.base, events.slice(0, cutAt), random);
      const ledger = acknowledgedBy(recorded, cutAt);
      kept += await survive(image, path.join(folder, `cut-${round}`), ledger);
      acknowledged += ledger.acknowledged;
    }
    return { cuts: rounds, "batches acknowledged": acknowledged, found: kept, lost: 0, partial: 0 };
  },
};

function acknowledgedBy({ events, ledger, batches }: RecordedServer, cutAt: number): Ledger {
  const answered = events.slice(0, cutAt).flatMap((event) => {
    const batch = event.kind === "answer" ? batches.get(event.requestId) : undefined;
    return batch === undefined ? [] : [batch];
  });
  return ledger.withOnly(answered);
}

/** Opens what is on the disk as the program would, and sends a batch again. */
async function survive(image: DiskImage, folder: string, ledger: Ledger): Promise<number> {
  image.writeTo(folder);
  const store = await openFolder(folder);
  const found = await ledger.requireIn(store);
  const [again] = ledger.acknowledgedBatches();
  if (again !== undefined) {
    const { duplicate } = await store.points.append(killedBatch(...again));
    assert.ok(duplicate, "a batch that was acknowledged must be known when it comes again");
  }
  await store.close();
  rmSync(folder, { recursive: true });
  return found;
}
