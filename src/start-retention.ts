import { downsampleLoadTests, findDownsampled } from "./catalogue/downsample-load-tests.ts";
import {
  findPrunable,
  passLimit,
  pruneLoadTests,
  type Retention,
} from "./catalogue/prune-load-tests.ts";
import { repeatByTimer, type RepeatedJob, repeatJob } from "./concurrency/repeat-job.ts";
import type { HttpLog } from "./http/access-log.ts";
import type { LoadTestSummary } from "./model/load-test.ts";
import type { Store } from "./store/store.ts";

const HOUR_MS = 60 * 60 * 1000;

interface RetentionDependencies {
  readonly log: HttpLog;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/**
 * Prunes and downsamples while the server runs; `undefined` without a limit. A pass deletes or downsamples at
 * most a tenth of the load tests, so that a mistyped limit or a wrong clock can be noticed in the log for hours.
 */
export function startRetention(
  { loadTests, points }: Pick<Store, "loadTests" | "points">,
  retention: Retention,
  { log, now }: RetentionDependencies,
): RepeatedJob | undefined {
  const { keepDays, keepTests, keepSecondsDays } = retention;
  if (keepDays === undefined && keepTests === undefined && keepSecondsDays === undefined) {
    return undefined;
  }
  return repeatJob({
    async run() {
      const all = await loadTests.list();
      await prune(all);
      await downsample(all);
    },
    everyMs: HOUR_MS,
    repeat: repeatByTimer,
    failed: (error) => log.error({ err: error }, "pruning_failed"),
  });

  async function prune(all: readonly LoadTestSummary[]): Promise<void> {
    const due = findPrunable(all, retention, now());
    const atMost = passLimit(all.length);
    if (due.length > atMost) log.warn({ due: due.length, atMost }, "pruning_limited");
    for await (const { loadTest, reason } of pruneLoadTests(loadTests, due, atMost)) {
      const { id, name } = loadTest;
      log.info({ loadTestId: id, name, reason }, "load_test_pruned");
    }
  }

  async function downsample(all: readonly LoadTestSummary[]): Promise<void> {
    if (keepSecondsDays === undefined || points.downsample === undefined) return;
    const due = findDownsampled(all, keepSecondsDays, now()).slice(0, passLimit(all.length));
    for await (const { id, name } of downsampleLoadTests(loadTests, points.downsample, due)) {
      log.info({ loadTestId: id, name }, "load_test_downsampled");
    }
  }
}
