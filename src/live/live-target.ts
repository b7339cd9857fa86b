import { ensureLoadTest, type ImportTarget } from "../import/ensure-load-test.ts";
import { hourId, hourOf, SECONDS_PER_HOUR } from "../model/measures/environment.ts";
import { UserError } from "../model/errors.ts";
import { type MeasureTable, NO_MEASURES } from "../model/measures/measure-table.ts";
import { measuresWithin } from "../model/measures/select-measures.ts";
import type { Appended, PointBatch, Points, Store, StoredText } from "../store/store.ts";
import { appendOnce } from "./append-fitting.ts";
import { METRICS_SOURCE } from "./otlp/otlp-body.ts";

/** What live senders write to: a load test, which is created as needed, or an environment. */
export type LiveTarget =
  | { readonly loadTestId: string; readonly environment?: undefined }
  | { readonly environment: string; readonly loadTestId?: undefined };

/** Of a project. */
export type LiveStore = ImportTarget &
  Pick<Store, "senderState" | "within"> & { readonly points: Pick<Points, "snapshot"> };

interface OpenedTarget {
  /** For batches. */
  readonly loadTestId: string;
  readonly store: ImportTarget;
  readonly state: StoredText;
}

/** `now` is in milliseconds since the epoch. */
export function openTarget(
  store: LiveStore,
  { loadTestId, environment }: LiveTarget,
  now: () => number,
): OpenedTarget {
  if (environment === undefined) {
    return { loadTestId, store, state: store.senderState(loadTestId) };
  }
  const hours = store.within({ environment });
  return {
    loadTestId: environment,
    store: storingHours(hours, environment, now),
    state: hours.senderState(),
  };
}

/** Hours of one batch: each becomes a load test. */
const HOURS_MAX = 48;

/** Takes measures for any load test, and stores them by hours. */
function storingHours(
  { loadTests, points }: ImportTarget,
  environment: string,
  now: () => number,
): ImportTarget {
  return {
    loadTests: {
      ...loadTests,
      find: async (id) => ({ id }),
      update: async () => {
        throw onlyMeasures(environment);
      },
    },
    points: {
      ...points,
      /** Throws `bad-parameter` for anything but measures. */
      async append(batch: PointBatch) {
        const { measures = NO_MEASURES, points: requests, users, failures } = batch;
        const others = [requests, users?.counts, failures?.counts].some(
          (counts) => counts !== undefined && counts.second.length > 0,
        );
        if (others) throw onlyMeasures(environment);
        const appended: Appended[] = [];
        for (const [hour, own] of byHours(environment, measures)) {
          const id = hourId(hour);
          await ensureLoadTest({ loadTests, points }, { id, name: id, hour }, now());
          appended.push(await appendOnce({ points }, { ...batch, loadTestId: id, measures: own }));
        }
        return {
          duplicate: appended.every(({ duplicate }) => duplicate),
          unstored: appended.flatMap(({ unstored = [] }) => unstored),
        };
      },
      // Totals went on before, since an environment does not begin with anything.
      liveSources: async () => [{ sourceId: METRICS_SOURCE, lastSequence: 0 }],
    },
  };
}

function onlyMeasures(environment: string): UserError {
  return new UserError(
    "bad-parameter",
    `cannot store requests, users or events in the environment ${JSON.stringify(environment)}: want measures; ` +
      "send the rest to a load test",
  );
}

/** What was not stored is counted once. Throws `bad-parameter`. */
function byHours(
  environment: string,
  table: MeasureTable,
): readonly (readonly [number, MeasureTable])[] {
  const hours = [...new Set(table.sums.second.map(hourOf))].toSorted((left, right) => left - right);
  if (hours.length > HOURS_MAX) {
    const name = JSON.stringify(environment);
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
