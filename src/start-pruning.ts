import type { HttpLog } from "./http/access-log.ts";
import { type Pruning, pruneHourly } from "./operations/prune-hourly.ts";
import { pruneLoadTests, type Retention } from "./operations/prune-load-tests.ts";
import type { LoadTests } from "./store/store.ts";

interface PruningSurroundings {
  readonly log: HttpLog;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Prunes as long as the server runs; `undefined` where everything is kept. */
export function startPruning(
  { loadTests }: { readonly loadTests: LoadTests },
  retention: Retention,
  { log, now }: PruningSurroundings,
): Pruning | undefined {
  if (retention.keepDays === undefined && retention.keepTests === undefined) return undefined;
  return pruneHourly({
    prune: () => pruneLoadTests(loadTests, retention, now()),
    repeat(run, everyMs) {
      const timer = setInterval(run, everyMs);
      return () => clearInterval(timer);
    },
    pruned({ loadTest: { id, name }, reason }) {
      log.info({ loadTestId: id, name, reason }, "load_test_pruned");
    },
    failed: (error) => log.error({ err: error }, "pruning_failed"),
  });
}
