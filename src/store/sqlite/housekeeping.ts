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
/** How often is looked for work while there is no such moment. */
const MINUTE_MS = 60_000;
/** How often dead blocks are taken out while there is none: their pages are what is written next. */
const TAKE_OUT_MS = 10_000;
/** Opening the file may take so much longer for what was left to do. */
const OPENING_MS = 200;

export class Housekeeping {
  readonly #file: SqliteFile;
  readonly #snapshots: SnapshotKeeper;
  readonly #sealer: Sealer;
  #timer: NodeJS.Timeout | undefined;
  #minuteTimer: NodeJS.Timeout | undefined;
  #tookOutAtMs = 0;
  #working: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(file: SqliteFile, snapshots: SnapshotKeeper, sealer: Sealer) {
    this.#file = file;
    this.#snapshots = snapshots;
    this.#sealer = sealer;
  }

  /** Does what waited for the file to be opened, and goes on until it is stopped. */
  async begin(): Promise<void> {
    const untilMs = performance.now() + OPENING_MS;
    const isWanted = () => performance.now() < untilMs;
    await takeOutDead(this.#file, this.#snapshots, isWanted);
    await giveBackPages(this.#file, isWanted);
    this.#file.queue.onIdle = () => this.#later(IDLE_MS);
    this.#sealer.onSealed = () => this.#takeOutNow();
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

  /** What another process left to do, or what has become due, is done even if nothing is written. */
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

  /** While blocks are written all the time there is no quiet moment to wait for. */
  #takeOutNow(): void {
    const nowMs = performance.now();
    if (this.#stopped || nowMs - this.#tookOutAtMs < TAKE_OUT_MS) return;
    this.#tookOutAtMs = nowMs;
    this.#run(() => this.#takeOut());
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
