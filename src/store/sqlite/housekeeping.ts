/**
 * Work beside the writes: live batches are sealed, dead blocks leave the file, free pages go back to
 * the disk, and the log becomes empty. Nothing depends on it, and it is done in short pieces.
 */

import { BURIAL_DELAY_MS } from "./burial.ts";
import { emptyLog, type SqliteFile } from "./file.ts";
import { giveBackPages, takeOutDead } from "./free-space.ts";
import type { Sealer } from "./sealer.ts";
import type { SnapshotKeeper } from "./snapshot-keeper.ts";

/** A moment without writes that is worth using. */
const IDLE_MS = 2000;
/** How often is looked for work while there is no such moment, or nothing was written at all. */
const MINUTE_MS = 60_000;
/** Of what was left to do, so many short writes are done before the file is open. */
const OPENING_WRITES = 8;

export class Housekeeping {
  readonly #file: SqliteFile;
  readonly #snapshots: SnapshotKeeper;
  readonly #sealer: Sealer;
  #timer: NodeJS.Timeout | undefined;
  #minuteTimer: NodeJS.Timeout | undefined;
  #working: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(file: SqliteFile, snapshots: SnapshotKeeper, sealer: Sealer) {
    this.#file = file;
    this.#snapshots = snapshots;
    this.#sealer = sealer;
  }

  /** Does what waited for the file to be opened, and goes on until it is stopped. */
  async begin(): Promise<void> {
    await takeOutDead(this.#file, this.#snapshots, countdown(OPENING_WRITES));
    await giveBackPages(this.#file, countdown(OPENING_WRITES));
    this.#file.queue.onIdle = () => this.#later(IDLE_MS);
    this.#minuteTimer = setInterval(() => this.#run(() => this.#lookAround()), MINUTE_MS).unref();
    this.#later(IDLE_MS);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    clearInterval(this.#minuteTimer);
    await this.#sealer.stop();
    await this.#working;
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
    this.#sealer.sweep();
    await this.#takeOut();
  }

  async #tidyUp(): Promise<void> {
    this.#sealer.sweep();
    await this.#takeOut();
    await giveBackPages(this.#file, () => !this.#stopped);
    emptyLog(this.#file.writer);
    if (this.#snapshots.hasDead()) this.#later(BURIAL_DELAY_MS);
  }

  #takeOut(): Promise<void> {
    return takeOutDead(this.#file, this.#snapshots, () => !this.#stopped);
  }

  /** Does one work after the other. */
  #run(work: () => Promise<void>): void {
    const before = this.#working;
    const doWork = async () => {
      await before;
      try {
        await work();
      } catch {
        // Nothing is lost: the next quiet moment tries again, and a full disk shows in every write.
      }
    };
    this.#working = doWork();
  }
}

/** Says yes so many times. */
function countdown(times: number): () => boolean {
  let left = times;
  return () => left-- > 0;
}
