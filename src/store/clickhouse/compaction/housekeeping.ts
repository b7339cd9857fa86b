/** Background work of servers, several at once: compacts idle load tests and deletes old rows. */

import { setTimeout } from "node:timers/promises";
import type { ClickHouseParts } from "../parts.ts";
import type { HousekeepingLog } from "../../store.ts";
import { QuietCompactor } from "./quiet-compactor.ts";
import type { Compactor } from "./compactor.ts";
import { Sweeper } from "./sweeper.ts";

const TICK_MS = 60_000;
const SWEEP_MS = 60 * 60_000;

/** Starts immediately and runs until stopped; does not keep the process alive. */
export class Housekeeping {
  readonly #parts: ClickHouseParts;
  readonly #log: HousekeepingLog;
  readonly #compactor: QuietCompactor;
  readonly #sweeper: Sweeper;
  readonly #stopping = new AbortController();
  readonly #done: Promise<void>;

  constructor(parts: ClickHouseParts, compactor: Compactor, log: HousekeepingLog) {
    this.#parts = parts;
    this.#log = log;
    this.#compactor = new QuietCompactor(parts, compactor, log);
    this.#sweeper = new Sweeper(parts);
    this.#done = this.#run(this.#stopping.signal);
  }

  /** Waits for running work, which starts nothing new. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#done;
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { clockMs } = this.#parts.cluster.clock;
    let [isFirst, sweptAtMs] = [true, clockMs()];
    while (await this.#pause(signal)) {
      await this.#try("sealing_failed", async () => {
        if (isFirst) await this.#compactor.noteAll("all");
        isFirst = false;
        await this.#compactor.look(signal);
      });
      if (signal.aborted || clockMs() - sweptAtMs < SWEEP_MS) continue;
      sweptAtMs = clockMs();
      await this.#try("sweeping_failed", async () => {
        const swept = await this.#sweeper.pass(signal);
        if (swept.removed > 0) this.#log.done("swept", { ...swept });
        // Covers load tests written by processes that have ended.
        await this.#compactor.noteAll("uncompacted");
      });
    }
  }

  /** About a minute, so that several servers seldom do the same at once; false where it is to stop. */
  async #pause(signal: AbortSignal): Promise<boolean> {
    const ms = TICK_MS * (0.5 + Math.random());
    return setTimeout(ms, true, { signal, ref: false }).catch(() => false);
  }

  async #try(event: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!this.#stopping.signal.aborted) this.#log.failed(event, error);
    }
  }
}
