import { setTimeout as sleep } from "node:timers/promises";
import { readEachRunValues, STORED_MAX } from "../analysis/trend/run-values.ts";
import { LOAD_TESTS_MAX } from "../analysis/trend/trend-series.ts";
import { openProject, projectsIn } from "../catalogue/environment-stretch.ts";
import { type RepeatedJob, repeatJob } from "../concurrency/repeat-job.ts";
import type { HttpLog } from "../http/access-log.ts";
import { UserError, unlessUserError } from "../model/errors.ts";
import { ALL_ENDPOINTS } from "../series/endpoint-selection.ts";
import { storeOverall } from "../catalogue/overall-figures.ts";
import { OVERALL_FIGURES, type Store } from "../store/store.ts";

const HOUR_MS = 60 * 60 * 1000;

/** Load tests with newer data may still grow. */
const IDLE_MS = 10 * 60 * 1000;

/** Faster ones were stored. */
const COMPUTED_MS_MIN = 10;

/** Computing takes about 50 ms: a fifth of a processor at most. */
const PAUSE_MS = 200;

/** An hour of computing at most. */
const LACKING_AT_ONCE = 10_000;

const WHOLE = { selection: ALL_ENDPOINTS, skipStartSeconds: 0, skipEndSeconds: 0 };

/** Stores figures of idle load tests, so that the first trend need not compute them. */
export function startFigures(
  store: Store,
  { log, now }: { readonly log: HttpLog; readonly now: () => number },
): RepeatedJob {
  const stopping = new AbortController();
  const job = repeatJob({
    async run() {
      for (const project of await projectsIn(store)) {
        await computeMissing(openProject(store, project), { now, stopping: stopping.signal });
      }
    },
    everyMs: HOUR_MS,
    failed: (error) => log.error({ err: error }, "figures_failed"),
  });
  return {
    stop() {
      stopping.abort();
      return job.stop();
    },
  };
}

/** What searches read, of the latest load tests that lack it. */
async function storeMissing(
  loadTests: Store["loadTests"],
  points: Store["points"],
  { now, stopping }: { readonly now: () => number; readonly stopping: AbortSignal },
): Promise<void> {
  const lacking = await loadTests.list({ lacks: OVERALL_FIGURES, limit: LACKING_AT_ONCE });
  for (const loadTest of lacking) {
    if (stopping.aborted) return;
    if ((loadTest.lastDataAtMs ?? Infinity) >= now() - IDLE_MS) continue;
    await storeOverall({ points }, loadTest).catch(unlessUserError);
    await sleep(PAUSE_MS, undefined, { signal: stopping }).catch(() => undefined);
  }
}

async function computeMissing(
  { loadTests, points }: Store,
  { now, stopping }: { readonly now: () => number; readonly stopping: AbortSignal },
): Promise<void> {
  await storeMissing(loadTests, points, { now, stopping });
  const latest = await loadTests.list({ limit: LOAD_TESTS_MAX });
  const idle = latest.filter(
    ({ endpoints, lastDataAtMs = Infinity }) =>
      endpoints <= STORED_MAX && lastDataAtMs < now() - IDLE_MS,
  );
  for (const loadTest of idle) {
    if (stopping.aborted) return;
    const beganMs = performance.now();
    try {
      // A copy, so that the figures are stored but not also remembered in memory.
      for await (const _ of readEachRunValues({ ...points }, [loadTest], WHOLE));
    } catch (error) {
      // Whoever asks for a trend gets it.
      if (!(error instanceof UserError)) throw error;
    }
    if (performance.now() - beganMs < COMPUTED_MS_MIN) continue;
    await sleep(PAUSE_MS, undefined, { signal: stopping }).catch(() => undefined);
  }
}
