import type { HttpLog } from "./http/access-log.ts";
import { type Pruning, pruneHourly } from "./catalogue/prune-hourly.ts";
import {
  findPrunable,
  passLimit,
  pruneLoadTests,
  type PrunedLoadTest,
  type Retention,
} from "./catalogue/prune-load-tests.ts";
import type { LoadTests } from "./store/store.ts";

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
): Pruning | undefined {
  if (retention.keepDays === undefined && retention.keepTests === undefined) return undefined;
  async function* prune(): AsyncGenerator<PrunedLoadTest> {
    const all = await loadTests.list();
    const due = findPrunable(all, retention, now());
    const atMost = passLimit(all.length);
    if (due.length > atMost) log.warn({ due: due.length, atMost }, "pruning_limited");
    yield* pruneLoadTests(loadTests, due, atMost);
  }
  return pruneHourly({
    prune,
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
