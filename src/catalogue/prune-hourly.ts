import type { PrunedLoadTest } from "./prune-load-tests.ts";

const HOUR_MS = 60 * 60 * 1000;

export interface PruningEffects {
  readonly prune: () => AsyncIterable<PrunedLoadTest>;
  /** Calls `run` again and again; answers what ends that. */
  readonly repeat: (run: () => void, everyMs: number) => () => void;
  /** Told of each load test that went. */
  readonly pruned: (each: PrunedLoadTest) => void;
  /** Told why a run failed; the next one comes all the same. */
  readonly failed: (error: unknown) => void;
}

export interface Pruning {
  /** Ends it and waits for a run that has begun. */
  stop(): Promise<void>;
}

/** Prunes now and every hour, never twice at once, until it is stopped. */
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
