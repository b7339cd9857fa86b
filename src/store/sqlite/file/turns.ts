import { setImmediate as nextTurn } from "node:timers/promises";

/** As long as answers work without a turn of the event loop. */
const WORK_MS_MAX = 4;

/** Work that lets others have their turn, by the clock. */
export class Turns {
  #beganAtMs = performance.now();

  /** To be awaited between short pieces of work. */
  async pass(): Promise<void> {
    if (performance.now() - this.#beganAtMs < WORK_MS_MAX) return;
    await nextTurn();
    this.#beganAtMs = performance.now();
  }
}
