import { setTimeout } from "node:timers/promises";

/** What waiting needs of the world. */
export interface Surroundings {
  /** Milliseconds of a clock that only goes forward. */
  readonly clockMs: () => number;
  /** Ends early where the signal is aborted, with its reason. */
  readonly wait: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
  /** From 0 to 1, so that many that wait do not come back all at once. */
  readonly random: () => number;
}

export const REAL_SURROUNDINGS: Surroundings = {
  clockMs: () => performance.now(),
  async wait(ms, signal) {
    try {
      await setTimeout(ms, undefined, signal === undefined ? {} : { signal });
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    }
  },
  random: Math.random,
};
