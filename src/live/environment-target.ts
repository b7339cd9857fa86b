import { ensureLoadTest, type ImportTarget } from "../import/ensure-load-test.ts";
import {
  hourInEnvironment,
  hourOf,
  isEnvironment,
  SECONDS_PER_HOUR,
} from "../model/measures/environment.ts";
import { UserError } from "../model/errors.ts";
import { type MeasureTable, NO_MEASURES } from "../model/measures/measure-table.ts";
import { measuresWithin } from "../model/measures/select-measures.ts";
import type { PointBatch } from "../store/store.ts";
import { appendOnce } from "./append-fitting.ts";
import { METRICS_SOURCE } from "./otlp/otlp-body.ts";

/** Hours of one batch: each becomes a load test. */
const HOURS_MAX = 48;

interface EnvironmentTargetOptions {
  /** Of all projects. */
  readonly store: ImportTarget;
  /** Of what the target's environments belong to; empty, or with a slash behind it. */
  readonly prefix: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** A target that stores what is written to `targetOfEnvironment` by hours, and everything else in `target`. */
export function withEnvironments(
  target: ImportTarget,
  { store, prefix, now }: EnvironmentTargetOptions,
): ImportTarget {
  const { loadTests, points } = target;
  /** Throws `bad-parameter` for anything but measures. */
  async function appendHours(batch: PointBatch): Promise<{ readonly duplicate: boolean }> {
    const { loadTestId, measures = NO_MEASURES, points: requests, users, failures } = batch;
    const others = [requests, users?.counts, failures?.counts].some(
      (counts) => counts !== undefined && counts.second.length > 0,
    );
    if (others) throw onlyMeasures(loadTestId);
    let duplicate = true;
    for (const [second, own] of byHours(loadTestId, measures)) {
      const id = hourInEnvironment(prefix + loadTestId, second);
      await ensureLoadTest(store, { id, name: id }, now());
      const isKnown = await appendOnce(store, { ...batch, loadTestId: id, measures: own });
      duplicate &&= isKnown;
    }
    return { duplicate };
  }
  return {
    loadTests: {
      ...loadTests,
      find: async (id) => (isEnvironment(id) ? { id } : loadTests.find(id)),
      update: async (id, change) => {
        if (isEnvironment(id)) throw onlyMeasures(id);
        return loadTests.update(id, change);
      },
    },
    points: {
      ...points,
      append: (batch) =>
        isEnvironment(batch.loadTestId) ? appendHours(batch) : points.append(batch),
      // Totals went on before, since an environment does not begin with anything.
      liveSources: async (id) =>
        isEnvironment(id)
          ? [{ sourceId: METRICS_SOURCE, lastSequence: 0 }]
          : points.liveSources(id),
    },
  };
}

function onlyMeasures(target: string): UserError {
  const name = JSON.stringify(target.slice(1));
  return new UserError(
    "bad-parameter",
    `cannot store requests, users or events in the environment ${name}: want measures; send the rest to a load test`,
  );
}

/** What was not stored is counted once. Throws `bad-parameter`. */
function byHours(
  target: string,
  table: MeasureTable,
): readonly (readonly [number, MeasureTable])[] {
  const hours = [...new Set(table.sums.second.map(hourOf))].toSorted((left, right) => left - right);
  if (hours.length > HOURS_MAX) {
    const name = JSON.stringify(target.slice(1));
    throw new UserError(
      "bad-parameter",
      `cannot store values of ${hours.length} hours in the environment ${name} at once: want at most ${HOURS_MAX}`,
    );
  }
  return hours.map((from, index) => {
    const own = measuresWithin(table, { from, until: from + SECONDS_PER_HOUR });
    return [from, index === 0 ? own : { ...own, unstored: NO_MEASURES.unstored }];
  });
}
