import { setImmediate as nextTurn } from "node:timers/promises";

/** How long work may hold up the event loop. */
const WORK_MS_MAX = 4;

/** Lets other work of the process run in between, by the clock. */
export class Yielder {
  #beganAtMs = performance.now();

  /** To be awaited between short steps of work. */
  async pass(): Promise<void> {
    if (performance.now() - this.#beganAtMs < WORK_MS_MAX) return;
    await nextTurn();
    this.#beganAtMs = performance.now();
  }
}
