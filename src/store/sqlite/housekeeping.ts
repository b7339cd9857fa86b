/**
 * Work beside the writes: live batches are sealed, dead blocks leave the file, free pages go back to
 * the disk, and the log becomes empty. Nothing depends on it, and it is done in short pieces.
 */

import { setImmediate as nextTurn } from "node:timers/promises";
import { BURIAL_DELAY_MS } from "./burial.ts";
import { emptyLog, type SqliteFile } from "./file.ts";
import type { Sealer } from "./sealer.ts";
import type { SnapshotKeeper } from "./snapshot-keeper.ts";

/** A moment without writes that is worth using. */
const IDLE_MS = 2000;
/** How often sources are looked through while there is no such moment. */
const SWEEP_MS = 60_000;
/** How often dead blocks are buried while there is none: their pages are what is written next. */
const BURY_MS = 10_000;
/** Free pages given back in one write: some milliseconds. */
const PAGES_AT_ONCE = 512;
/** Free pages given back while the file is opened. */
const PAGES_AT_OPENING = 16_384;

export class Housekeeping {
  readonly #file: SqliteFile;
  readonly #snapshots: SnapshotKeeper;
  readonly #sealer: Sealer;
  #timer: NodeJS.Timeout | undefined;
  #sweepTimer: NodeJS.Timeout | undefined;
  #buriedAtMs = 0;
  #working: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(file: SqliteFile, snapshots: SnapshotKeeper, sealer: Sealer) {
    this.#file = file;
    this.#snapshots = snapshots;
    this.#sealer = sealer;
  }

  /** Does what waited for the file to be opened, and goes on until it is stopped. */
  async begin(): Promise<void> {
    await this.#snapshots.bury();
    await this.#giveBackPages(PAGES_AT_OPENING);
    this.#file.queue.onIdle = () => this.#later(IDLE_MS);
    this.#sealer.onSealed = () => this.#buryNow();
    this.#sweepTimer = setInterval(() => this.#sealer.sweep(), SWEEP_MS).unref();
    this.#later(IDLE_MS);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    clearInterval(this.#sweepTimer);
    await this.#sealer.stop();
    await this.#working;
  }

  /** Does the work once nothing was written for so long; does not keep the process alive. */
  #later(delayMs: number): void {
    if (this.#stopped) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#run(() => this.#tidyUp()), delayMs).unref();
  }

  async #tidyUp(): Promise<void> {
    this.#sealer.sweep();
    const isMoreDead = await this.#snapshots.bury();
    await this.#giveBackPages(Infinity);
    emptyLog(this.#file.writer);
    if (isMoreDead) this.#later(BURIAL_DELAY_MS);
  }

  /** Buries while blocks are written all the time. */
  #buryNow(): void {
    const nowMs = performance.now();
    if (this.#stopped || nowMs - this.#buriedAtMs < BURY_MS) return;
    this.#buriedAtMs = nowMs;
    this.#run(async () => {
      await this.#snapshots.bury();
    });
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

  async #giveBackPages(pagesMax: number): Promise<void> {
    const { queue, writer } = this.#file;
    for (let pages = 0; pages < pagesMax && !this.#stopped; pages += PAGES_AT_ONCE) {
      const free = writer.prepare("PRAGMA freelist_count").get()?.["freelist_count"];
      if (free === 0) return;
      await queue.write(() => writer.exec(`PRAGMA incremental_vacuum(${PAGES_AT_ONCE})`));
      await nextTurn();
    }
  }
}
