import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import path from "node:path";
import { killedBatch } from "../killed-batch.ts";
import { openSqliteStore } from "../../../src/store/sqlite/store.ts";
import { replayCut } from "../disk/disk-image.ts";
import type { Ledger } from "../disk/ledger.ts";
import { recordAppender } from "../disk/record-appender.ts";
import { type RecordedLife, recordServer } from "../disk/record-server.ts";
import type { Fault, FaultContext, FaultFigures } from "../frame/fault.ts";

/** For each of four senders, with a pause in which the log is checkpointed and restarted. */
const BATCHES_EACH = 40;
/** For four senders together; checkpoints run all the time. */
const APPENDED_BATCHES = 400;

export const powerCuts: Fault = {
  id: "C4",
  title:
    "The power is cut: unsynced writes of recorded processes are lost, reordered, torn at 512 bytes; every acknowledged batch is there once, none in part, and verify finds nothing.",
  rounds: { fast: 40, nightly: 500, release: 500 },
  programs: ["strace"],

  async run({ rounds, folder, random, log }: FaultContext): Promise<FaultFigures> {
    const lives = [
      await recordServer(folder, BATCHES_EACH),
      await recordAppender(folder, APPENDED_BATCHES),
    ];
    for (const { events } of lives) log(`${events.length} events, replayed to the same files`);
    let [kept, acknowledged] = [0, 0];
    for (let round = 0; round < rounds; round++) {
      const life = lives[round % lives.length] as RecordedLife;
      const cutAt = placeToCut(life, random);
      const image = replayCut(life.base, life.events.slice(0, cutAt), random);
      const ledger = acknowledgedBy(life, cutAt);
      const cut = path.join(folder, `cut-${round}`);
      image.writeTo(cut);
      kept += await survive(path.join(cut, life.storeFile), ledger);
      rmSync(cut, { recursive: true });
      acknowledged += ledger.acknowledged;
    }
    return { cuts: rounds, "batches acknowledged": acknowledged, found: kept, lost: 0, partial: 0 };
  },
};

/**
 * In half of the rounds right after an acknowledgement was sent, when most depends on the syncs before it.
 */
function placeToCut({ events }: RecordedLife, random: () => number): number {
  const isAnswer = random() < 0.5;
  const places = [...events.keys()].filter((at) => !isAnswer || events[at]?.kind === "answer");
  return (places[Math.floor(random() * places.length)] ?? 0) + 1;
}

function acknowledgedBy({ events, ledger, batches }: RecordedLife, cutAt: number): Ledger {
  const answered = events.slice(0, cutAt).flatMap((event) => {
    const batch = event.kind === "answer" ? batches.get(event.id) : undefined;
    return batch === undefined ? [] : [batch];
  });
  return ledger.withOnly(answered);
}

/** Opens the files as the program does, and repeats a batch. */
async function survive(file: string, ledger: Ledger): Promise<number> {
  const store = await openSqliteStore(file, { now: Date.now });
  try {
    const found = await ledger.requireIn(store);
    const [again] = ledger.acknowledgedBatches();
    if (again !== undefined) {
      const { duplicate } = await store.points.append(killedBatch(...again));
      assert.ok(duplicate, "a batch that was acknowledged must be known when it comes again");
    }
    return found;
  } finally {
    await store.close();
  }
}
