import type { RecordChange } from "../catalogue/audit.ts";
import {
  downsampleLoadTests,
  findDownsampled,
  findOldHours,
  findPrunable,
  passLimit,
  pruneLoadTests,
  type Retention,
} from "../catalogue/prune-load-tests.ts";
import { isMeasuredIn, openProject, projectsIn } from "../catalogue/environment-stretch.ts";
import { createCopier } from "./start-judging.ts";
import { type RepeatedJob, repeatJob } from "../concurrency/repeat-job.ts";
import type { HttpLog } from "../http/access-log.ts";
import type { Store, StoreScope } from "../store/store.ts";

const HOUR_MS = 60 * 60 * 1000;

export interface ServerRetention extends Retention {
  /** Keeps the measures of environments for this many days after they arrived. */
  readonly keepEnvironmentDays: number;
}

interface RetentionDependencies {
  readonly log: HttpLog;
  readonly record: RecordChange;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/**
 * Prunes and downsamples while the server runs, each project by itself and by its own limits of `retentionIn`, and the
 * measures of environments. A pass deletes or downsamples at most a tenth of the load tests of a project, so that a mistyped
 * limit or a wrong clock can be noticed in the log for hours.
 */
export function startRetention(
  store: Store,
  { keepEnvironmentDays, ...retention }: ServerRetention,
  retentionIn: ReadonlyMap<string, Retention>,
  { log, now, record }: RetentionDependencies,
): RepeatedJob {
  const hasLimits = [retention, ...retentionIn.values()].some(hasLimit);
  const failed = (error: unknown): void => log.error({ err: error }, "pruning_failed");
  return repeatJob({
    async run() {
      // A damaged run of one project must not fill the disk with those of all others.
      for (const scope of await store.scopes()) await pruneHours(scope).catch(failed);
      for (const project of hasLimits ? await projectsIn(store) : []) {
        const own = project === undefined ? {} : retentionIn.get(project);
        const limits = { ...retention, ...own };
        await keep(openProject(store, project), project, limits).catch(failed);
      }
    },
    everyMs: HOUR_MS,
    failed,
  });

  async function pruneHours({ project, environment }: StoreScope): Promise<void> {
    if (environment === undefined) return;
    const own = store.within({ project });
    const { loadTests } = own.within({ environment });
    const hours = await loadTests.list();
    const due = findOldHours(hours, keepEnvironmentDays, now());
    if (due.length === 0) return;
    const copier = createCopier(own, { log, now });
    const missed = await copier.copyInto(await own.loadTests.list());
    // A full disk stops copies, but not deletions.
    const spare = due.filter(
      ({ loadTest: { hour = 0 } }) =>
        !missed.some((each) => each.environment === environment && isMeasuredIn(each, hour)),
    );
    for await (const { loadTest } of pruneLoadTests(loadTests, spare, passLimit(hours.length))) {
      log.info({ project, environment, hour: loadTest.id }, "environment_pruned");
    }
  }

  async function keep(
    { loadTests, points }: Store,
    project: string | undefined,
    limits: Retention,
  ): Promise<void> {
    const all = await loadTests.list();
    const atMost = passLimit(all.length);
    const note = (operation: string, target: string, details: object): Promise<void> => {
      const entry = { project, key: undefined, operation, target, outcome: "done" };
      return record({ ...entry, details: JSON.stringify(details) });
    };
    const due = findPrunable(all, limits, now());
    if (due.length > atMost) log.warn({ project, due: due.length, atMost }, "pruning_limited");
    for await (const { loadTest, reason } of pruneLoadTests(loadTests, due, atMost)) {
      const { id, name } = loadTest;
      log.info({ project, loadTestId: id, name, reason }, "load_test_pruned");
      await note("pruneLoadTest", id, { name, reason });
    }
    const { keepSecondsDays } = limits;
    if (keepSecondsDays === undefined) return;
    const old = findDownsampled(all, keepSecondsDays, now());
    let left = atMost;
    for await (const { id, name } of downsampleLoadTests(loadTests, points, old, failed)) {
      log.info({ project, loadTestId: id, name }, "load_test_downsampled");
      await note("downsampleLoadTest", id, { name });
      left -= 1;
      if (left === 0) break;
    }
  }
}

function hasLimit({ keepDays, keepTests, keepSecondsDays }: Retention): boolean {
  return [keepDays, keepTests, keepSecondsDays].some((limit) => limit !== undefined);
}
