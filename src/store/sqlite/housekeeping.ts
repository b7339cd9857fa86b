/** Background work that nothing depends on: compacts live batches, deletes old blocks, frees pages and the log. */

import { setImmediate as nextTurn } from "node:timers/promises";
import { Mutex } from "../../concurrency/mutex.ts";
import { GC_GRACE_MS } from "./blocks/block-rows.ts";
import { type SqliteFile, emptyLog } from "./file.ts";
import type { Compactor } from "./compaction/compactor.ts";
import type { SnapshotKeeper } from "./snapshot-keeper.ts";

/** Batch records deleted in one write. */
const BATCHES_AT_ONCE = 5000;

/** Free pages returned in one write: some milliseconds. */
const PAGES_AT_ONCE = 512;

/** Idle time without writes that starts the work. */
const IDLE_MS = 2000;
/** How often work is checked for without such idle time. */
const MINUTE_MS = 60_000;
/** Short writes of leftover work done before opening completes. */
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

  /** Does the work that waited for the file to open, and continues until stopped. */
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

  /** Starts the work after idle time without writes; does not keep the process alive. */
  #later(delayMs: number): void {
    if (this.#stopped) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#run(() => this.#tidyUp()), delayMs).unref();
  }

  /** Leftover and due work is done even if nothing is written, or blocks are all the time: the next writes reuse freed pages. */
  async #lookAround(): Promise<void> {
    this.#compactor.sweep();
    await takeOutDead(this.#file, this.#snapshots, () => !this.#stopped);
  }

  async #tidyUp(): Promise<void> {
    await this.#lookAround();
    await giveBackPages(this.#file, () => !this.#stopped);
    emptyLog(this.#file.writer);
    if (this.#snapshots.hasDead()) this.#later(GC_GRACE_MS);
  }

  /** Runs the tasks in sequence. */
  #run(work: () => Promise<void>): void {
    // Nothing is lost: the next idle time retries, and a full disk shows in every write.
    this.#working.run(work).catch(() => undefined);
  }
}

/** Returns true this many times. */
function countdown(times: number): () => boolean {
  let left = times;
  return () => left-- > 0;
}

/** Deletes old blocks as long as `isWanted`. The next writes reuse the pages. */
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

/** Returns free pages to the disk as long as `isWanted`. */
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
