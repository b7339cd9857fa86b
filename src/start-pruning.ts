import type { HttpLog } from "./http/access-log.ts";
import {
  findPrunable,
  passLimit,
  pruneLoadTests,
  type Retention,
} from "./catalogue/prune-load-tests.ts";
import { repeatByTimer, type RepeatedJob, repeatJob } from "./concurrency/repeat-job.ts";
import type { LoadTests } from "./store/store.ts";

const HOUR_MS = 60 * 60 * 1000;

interface PruningDependencies {
  readonly log: HttpLog;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/**
 * Prunes while the server runs; `undefined` without a retention limit. A pass deletes at most a tenth of
 * the load tests, so that a mistyped limit or a wrong clock can be noticed in the log for hours.
 */
export function startPruning(
  { loadTests }: { readonly loadTests: LoadTests },
  retention: Retention,
  { log, now }: PruningDependencies,
): RepeatedJob | undefined {
  if (retention.keepDays === undefined && retention.keepTests === undefined) return undefined;
  return repeatJob({
    async run() {
      const all = await loadTests.list();
      const due = findPrunable(all, retention, now());
      const atMost = passLimit(all.length);
      if (due.length > atMost) log.warn({ due: due.length, atMost }, "pruning_limited");
      for await (const { loadTest, reason } of pruneLoadTests(loadTests, due, atMost)) {
        const { id, name } = loadTest;
        log.info({ loadTestId: id, name, reason }, "load_test_pruned");
      }
    },
    everyMs: HOUR_MS,
    repeat: repeatByTimer,
    failed: (error) => log.error({ err: error }, "pruning_failed"),
  });
}
