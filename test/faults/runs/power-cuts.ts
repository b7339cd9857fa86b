import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import path from "node:path";
import { killedBatch } from "../killed-batch.ts";
import { openSqliteStore } from "../../../src/store/sqlite/store.ts";
import type { Store } from "../../../src/store/store.ts";
import { placeToCut, replayAll, replayCut } from "../disk/disk-image.ts";
import type { Ledger } from "../disk/ledger.ts";
import { recordAppender } from "../disk/record-appender.ts";
import { type RecordedLife, recordServer } from "../disk/record-server.ts";
import type { Fault, FaultContext, FaultFigures } from "../frame/fault.ts";

/** For each of four senders, with a pause in which the log is checkpointed and restarted. */
const BATCHES_EACH = 40;
/** The sequence of a batch that no sender has reached. */
const LATER = 1_000_000;
/** For four senders together; checkpoints run all the time. */
const APPENDED_BATCHES = 400;

export const powerCuts: Fault = {
  id: "C4",
  title:
    "The power is cut: unsynced writes of recorded processes are lost, reordered, torn at 512 bytes; every acknowledged batch is there once, none in part, verify finds nothing, and no revision that readers saw comes again with other data.",
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
      const cutAt = placeToCut(life.events, random);
      const image = replayCut(life.base, life.events.slice(0, cutAt), random);
      const ledger = acknowledgedBy(life, cutAt);
      const cut = path.join(folder, `cut-${round}`);
      image.writeTo(cut);
      const seen = await revisionSeen(life, cutAt, path.join(folder, `whole-${round}`));
      kept += await survive(path.join(cut, life.storeFile), ledger, seen);
      rmSync(cut, { recursive: true });
      acknowledged += ledger.acknowledged;
    }
    return { cuts: rounds, "batches acknowledged": acknowledged, found: kept, lost: 0, partial: 0 };
  },
};

function acknowledgedBy({ events, ledger, batches }: RecordedLife, cutAt: number): Ledger {
  const answered = events.slice(0, cutAt).flatMap((event) => {
    const batch = event.kind === "answer" ? batches.get(event.id) : undefined;
    return batch === undefined ? [] : [batch];
  });
  return ledger.withOnly(answered);
}

/** The revision that readers may have seen before the cut, as all of what was written has it. */
async function revisionSeen(
  { base, events, storeFile }: RecordedLife,
  cutAt: number,
  folder: string,
): Promise<number> {
  replayAll(base, events.slice(0, cutAt)).writeTo(folder);
  const store = await openSqliteStore(path.join(folder, storeFile), { now: Date.now });
  try {
    return await revisionIn(store);
  } finally {
    await store.close();
    rmSync(folder, { recursive: true });
  }
}

async function revisionIn({ points }: Store): Promise<number> {
  const snapshot = await points.snapshot("run");
  snapshot?.release();
  return Number(snapshot?.revision.split("-").at(-1));
}

/** Opens the files as the program does, repeats a batch, and adds one. */
async function survive(file: string, ledger: Ledger, seen: number): Promise<number> {
  const store = await openSqliteStore(file, { now: Date.now });
  try {
    const found = await ledger.requireIn(store);
    const [again] = ledger.acknowledgedBatches();
    if (again !== undefined) {
      const { duplicate } = await store.points.append(killedBatch(...again));
      assert.ok(duplicate, "a batch that was acknowledged must be known when it comes again");
    }
    await store.points.append(killedBatch(0, LATER));
    const revision = await revisionIn(store);
    assert.ok(revision > seen, `revision ${revision} comes again: readers saw up to ${seen}`);
    return found;
  } finally {
    await store.close();
  }
}
