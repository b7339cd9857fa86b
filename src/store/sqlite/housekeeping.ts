/**
 * Work beside the writes: live batches are compacted, dead blocks leave the file, free pages go back to
 * the disk, and the log becomes empty. Nothing depends on it, and it is done in short pieces.
 */

import { setImmediate as nextTurn } from "node:timers/promises";
import { Mutex } from "../../concurrency/mutex.ts";
import { GC_GRACE_MS } from "./blocks/block-rows.ts";
import { type SqliteFile, emptyLog } from "./file.ts";
import type { Compactor } from "./compaction/compactor.ts";
import type { SnapshotKeeper } from "./snapshot-keeper.ts";

/** Records of batches that are forgotten in one write. */
const BATCHES_AT_ONCE = 5000;

/** Free pages that are given back in one write: some milliseconds. */
const PAGES_AT_ONCE = 512;

/** A moment without writes that is worth using. */
const IDLE_MS = 2000;
/** How often is looked for work while there is no such moment, or nothing was written at all. */
const MINUTE_MS = 60_000;
/** Of what was left to do, so many short writes are done before the file is open. */
const OPENING_WRITES = 8;

export class Housekeeping {
  readonly #file: SqliteFile;
  readonly #snapshots: SnapshotKeeper;
  readonly #compactor: Compactor;
  #timer: NodeJS.Timeout | undefined;
  #minuteTimer: NodeJS.Timeout | undefined;
  readonly #working = new Mutex();
  #stopped = false;

  constructor(file: SqliteFile, snapshots: SnapshotKeeper, compactor: Compactor) {
    this.#file = file;
    this.#snapshots = snapshots;
    this.#compactor = compactor;
  }

  /** Does what waited for the file to be opened, and goes on until it is stopped. */
  async begin(): Promise<void> {
    this.#file.queue.onIdle = () => this.#later(IDLE_MS);
    this.#minuteTimer = setInterval(() => this.#run(() => this.#lookAround()), MINUTE_MS).unref();
    this.#later(IDLE_MS);
    await takeOutDead(this.#file, this.#snapshots, countdown(OPENING_WRITES));
    await giveBackPages(this.#file, countdown(OPENING_WRITES));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    clearInterval(this.#minuteTimer);
    await this.#compactor.stop();
    await this.#working.run(async () => undefined);
  }

  /** Does the work once nothing was written for so long; does not keep the process alive. */
  #later(delayMs: number): void {
    if (this.#stopped) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#run(() => this.#tidyUp()), delayMs).unref();
  }

  /**
   * What another process left to do, or what has become due, is done even if nothing is written, and
   * while blocks are written all the time: the pages that become free are what is written next.
   */
  async #lookAround(): Promise<void> {
    this.#compactor.sweep();
    await this.#takeOut();
  }

  async #tidyUp(): Promise<void> {
    this.#compactor.sweep();
    await this.#takeOut();
    await giveBackPages(this.#file, () => !this.#stopped);
    emptyLog(this.#file.writer);
    if (this.#snapshots.hasDead()) this.#later(GC_GRACE_MS);
  }

  #takeOut(): Promise<void> {
    return takeOutDead(this.#file, this.#snapshots, () => !this.#stopped);
  }

  /** Does one work after the other. */
  #run(work: () => Promise<void>): void {
    // Nothing is lost: the next quiet moment tries again, and a full disk shows in every write.
    this.#working.run(work).catch(() => undefined);
  }
}

/** Says yes so many times. */
function countdown(times: number): () => boolean {
  let left = times;
  return () => left-- > 0;
}

/** Giving disk space back, in writes that are short whatever there is to give. */
/**
 * Takes what is dead out of the file as long as `isWanted`. The pages become free: what is written
 * next takes them.
 */
export async function takeOutDead(
  file: SqliteFile,
  snapshots: SnapshotKeeper,
  isWanted: () => boolean,
): Promise<void> {
  while (isWanted() && (await snapshots.collectGarbageOnce())) await nextTurn();
  while (isWanted() && file.reading.sources.anyRemoved()) {
    await file.queue.write(() => file.writing.sources.forgetSome(BATCHES_AT_ONCE));
    await nextTurn();
  }
}

/** Gives free pages back to the disk as long as `isWanted`. */
export async function giveBackPages(
  { queue, reader, writer }: SqliteFile,
  isWanted: () => boolean,
): Promise<void> {
  const free = reader.prepare("PRAGMA freelist_count");
  while (isWanted() && free.get()?.["freelist_count"] !== 0) {
    await queue.write(() => writer.exec(`PRAGMA incremental_vacuum(${PAGES_AT_ONCE})`));
    await nextTurn();
  }
}
