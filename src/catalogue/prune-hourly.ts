import type { PrunedLoadTest } from "./prune-load-tests.ts";

const HOUR_MS = 60 * 60 * 1000;

export interface PruningEffects {
  readonly prune: () => AsyncIterable<PrunedLoadTest>;
  /** Calls `run` repeatedly; returns a function that stops it. */
  readonly repeat: (run: () => void, everyMs: number) => () => void;
  /** Called for each deleted load test. */
  readonly pruned: (each: PrunedLoadTest) => void;
  /** Called with the error of a failed run; the next one runs anyway. */
  readonly failed: (error: unknown) => void;
}

export interface Pruning {
  /** Stops and waits for a running pass. */
  stop(): Promise<void>;
}

/** Prunes now and every hour, without overlap, until stopped. */
export function pruneHourly({ prune, repeat, pruned, failed }: PruningEffects): Pruning {
  let running: Promise<void> | undefined;
  const pruneOnce = async (): Promise<void> => {
    try {
      for await (const each of prune()) pruned(each);
    } catch (error) {
      failed(error);
    } finally {
      running = undefined;
    }
  };
  const run = (): void => {
    running ??= pruneOnce();
  };
  const end = repeat(run, HOUR_MS);
  run();
  return {
    async stop() {
      end();
      await running;
    },
  };
}
