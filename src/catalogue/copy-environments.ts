import { ENVIRONMENT_FORMAT, hourOf } from "../model/measures/environment.ts";
import { UserError } from "../model/errors.ts";
import type { LoadTestSummary } from "../model/load-test.ts";
import { hasNoMeasures } from "../model/measures/measure-table.ts";
import { mergePoints } from "../model/merge-points.ts";
import {
  type Gap,
  openStretch,
  type ProjectStore,
  readStretch,
  releaseStretch,
  type Stretch,
} from "./environment-stretch.ts";

/** Senders may be late by this much. */
const LATE_MS = 60_000;

/** Seconds of a batch: whole minutes, by which distributions are stored. */
const BATCH_SECONDS = 600;

/** Another server has copied it, or somebody has deleted it. */
const DONE_ELSEWHERE: ReadonlySet<string> = new Set([
  "source-moved-on",
  "sequence-reused",
  "unknown-load-test",
]);

interface CopierOptions {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Called where nothing more could be copied; the next time it is tried again. */
  readonly failed: (loadTestId: string, error: UserError) => void;
}

/**
 * Copies the measures of environments into the load tests that name them, so that they stay when the environment's own are
 * deleted: when a load test is over, and before each hour that it has run. Copying again changes nothing.
 */
export class EnvironmentCopier {
  readonly #store: ProjectStore;
  readonly #options: CopierOptions;
  /** What was copied for which load tests, so that it is not read each time. */
  #done: ReadonlySet<string> = new Set();

  /** Whether a load test in an environment was not over. */
  isWaiting = false;

  constructor(store: ProjectStore, options: CopierOptions) {
    this.#store = store;
    this.#options = options;
  }

  /** Copies into those of `loadTests` that are due; others are forgotten. Returns those that lack something still. */
  async copyInto(loadTests: readonly LoadTestSummary[]): Promise<readonly LoadTestSummary[]> {
    const done = new Set<string>();
    const missed: LoadTestSummary[] = [];
    let isWaiting = false;
    for (const loadTest of loadTests) {
      const { id, environment } = loadTest;
      if (environment === undefined) continue;
      const until = this.#dueUntil(loadTest);
      isWaiting ||= until !== undefined;
      const about = JSON.stringify([id, until, endOf(loadTest), environment]);
      const isDone = this.#done.has(about) || (await this.#copy(id, environment, until));
      if (isDone) done.add(about);
      else missed.push(loadTest);
    }
    this.#done = done;
    this.isWaiting = isWaiting;
    return missed;
  }

  /** The second until which to copy; `undefined`: all of it. */
  #dueUntil(loadTest: LoadTestSummary): number | undefined {
    const { finishedAtMs, lastDataAtMs = 0 } = loadTest;
    const settledMs = this.#options.now() - LATE_MS;
    const end = endOf(loadTest);
    const isOver =
      end * 1000 <= settledMs && (finishedAtMs !== undefined || lastDataAtMs <= settledMs);
    return isOver ? undefined : hourOf(Math.min(end, Math.floor(settledMs / 1000)));
  }

  /** Returns whether it is copied. */
  async #copy(id: string, environment: string, until: number | undefined): Promise<boolean> {
    const own = await this.#store.points.snapshot(id);
    if (own === undefined) return true;
    let stretch: Stretch | undefined;
    try {
      stretch = await openStretch(this.#store, own, environment);
      const { gaps, hours } = stretch ?? NOTHING_LEFT;
      for (const gap of gaps) await this.#copyGap(id, { hours }, gap, until);
      return true;
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      const isDone = DONE_ELSEWHERE.has(error.code);
      if (!isDone) this.#options.failed(id, error);
      return isDone;
    } finally {
      own.release();
      if (stretch !== undefined) releaseStretch(stretch);
    }
  }

  async #copyGap(
    id: string,
    stretch: Pick<Stretch, "hours">,
    { sourceId, copiedUntil, range }: Gap,
    until = Infinity,
  ): Promise<void> {
    const copied = Math.min(until, range.until);
    let follows: number | "nothing" = copiedUntil ?? "nothing";
    for (let from = range.from; from < copied;) {
      const end = Math.min(copied, from - (from % BATCH_SECONDS) + BATCH_SECONDS);
      const measures = await readStretch(stretch, { from, until: end });
      from = end;
      if (hasNoMeasures(measures)) continue;
      await this.#store.points.append({
        loadTestId: id,
        sourceId,
        visibility: "live",
        format: ENVIRONMENT_FORMAT,
        sequence: end,
        follows,
        labels: [],
        points: mergePoints([]),
        measures,
      });
      follows = end;
    }
  }
}

const NOTHING_LEFT: Stretch = { gaps: [], hours: [] };

/** The first second after it. */
function endOf({ until = 0 }: LoadTestSummary): number {
  return until + 1;
}
