/** Numbers the endpoints of load tests by label, once and for all, so that they can be cached. */

import { LruCache } from "../../concurrency/lru-cache.ts";
import { unknownLoadTest, type Endpoint } from "../../model/load-test.ts";
import { fittingMeasures } from "../stored-details.ts";
import type { LabelLimit } from "../label-limit.ts";
import type { MeasureTable } from "../../model/measures/measure-table.ts";
import { keyOfSeries } from "../../model/measures/merge-measures.ts";
import type { LoadTestRow } from "../sqlite/catalogue/load-test-rows.ts";
import { KnownEndpoints } from "../sqlite/endpoints/known-endpoints.ts";
import { type LabelNumbering, requireFewNumbers } from "../sqlite/endpoints/number-labels.ts";
import type { EndpointPages } from "../sqlite/write-target.ts";
import type { Database, Row, Run } from "./database.ts";
import type { Room } from "../sqlite/prepare-batch.ts";
import { textOf } from "./source-rows.ts";

const LABELS_REMEMBERED_MAX = 400_000;
const LOAD_TESTS_REMEMBERED = 16;
/** Labels numbered in one statement. */
const LABELS_AT_ONCE = 4096;
const PAGE = 8192;

const READ_PAGE = `SELECT number, label FROM endpoints
  WHERE load_test = $1 AND number > $2 ORDER BY number LIMIT $3`;

export interface Labels extends EndpointPages {
  /** Returns the cache of this load test, which may lack recent endpoints. */
  known(loadTest: number): KnownEndpoints;
  /** Caches all endpoints committed until now. */
  catchUp(loadTest: number): Promise<void>;
  /** `requireRoom` throws `too-many-labels` before labels are numbered. */
  numberingOf(
    row: LoadTestRow,
    requireRoom: (added: readonly string[]) => Promise<void>,
  ): LabelNumbering;
  /** Returns what fits into the limit of series, whose places are taken from then on. */
  roomForMeasures(row: LoadTestRow, measures: MeasureTable): Promise<Room>;
}

export function openLabels(database: Database, labelLimit: LabelLimit): Labels {
  let cached = new LruCache<number, KnownEndpoints>(LABELS_REMEMBERED_MAX);
  let series = new LruCache<number, Set<string>>(LOAD_TESTS_REMEMBERED);
  let losses = database.losses;

  function known(loadTest: number): KnownEndpoints {
    // A standby without the last transactions gives the same numbers to other labels.
    if (losses !== database.losses) {
      cached = new LruCache(LABELS_REMEMBERED_MAX);
      series = new LruCache(LOAD_TESTS_REMEMBERED);
      losses = database.losses;
    }
    const found = cached.get(loadTest) ?? new KnownEndpoints(() => []);
    cached.set(loadTest, found, found.labels.length);
    return found;
  }

  const page: Labels["page"] = async (loadTest, after, rows) =>
    (await database.read(READ_PAGE, [loadTest, after ?? -1, rows])).map(endpointOf);

  async function catchUp(loadTest: number): Promise<void> {
    const endpoints = known(loadTest);
    for (;;) {
      const found = await page(loadTest, endpoints.labels.length - 1, PAGE);
      endpoints.remember(found);
      if (found.length < PAGE) return;
    }
  }

  /** Caches all endpoints until now, with those that are added. */
  async function give({ number, id }: LoadTestRow, labels: readonly string[]): Promise<void> {
    const given = await database.transaction(async (run) => {
      await lockLoadTest(run, number, id);
      // Once more in each attempt: the server of the next one may know fewer.
      const here = known(number);
      const from = here.labels.length;
      const others = (await run(READ_PAGE, [number, from - 1, null])).map(endpointOf);
      const theirs = new Set(others.map(({ label }) => label));
      const first = from + others.length;
      const added = labels
        .filter((label) => !theirs.has(label) && here.numberOf(label) === undefined)
        .map((label, at) => ({ number: first + at, label }));
      const endpoints = [...others, ...added];
      requireFewNumbers(labelLimit, { loadTestId: id, known: here, endpoints, labels });
      return {
        result: { here, endpoints },
        statements: [
          {
            sql: "INSERT INTO endpoints SELECT $1, * FROM unnest($2::int[], $3::bytea[])",
            values: [
              number,
              added.map((each) => each.number),
              added.map(({ label }) => Buffer.from(label)),
            ],
          },
        ],
      };
    }, true);
    given.here.remember(given.endpoints);
  }

  return {
    known,
    page,
    catchUp,
    numberingOf: (row, requireRoom) => ({
      known: known(row.number),
      labelLimit,
      catchUp: () => catchUp(row.number),
      requireRoom: (added) => (added.length === 0 ? undefined : requireRoom(added)),
      async give(unknown) {
        for (let from = 0; from < unknown.length; from += LABELS_AT_ONCE) {
          const here = known(row.number);
          const labels = unknown
            .slice(from, from + LABELS_AT_ONCE)
            .filter((label) => here.numberOf(label) === undefined);
          if (labels.length > 0) await give(row, labels);
        }
      },
    }),
    async roomForMeasures({ number, id }, measures) {
      const keys = measures.series.map(keyOfSeries);
      const remembered = series.get(number);
      if (keys.every((key) => remembered?.has(key))) return { measures };
      const { fitting, all } = await database.transaction(async (run) => {
        await lockLoadTest(run, number, id);
        const rows = await run("SELECT key FROM measure_series WHERE load_test = $1", [number]);
        const before = new Set(rows.map(({ key }) => textOf(key)));
        const taken = fittingMeasures(measures, before);
        return {
          result: { fitting: taken, all: new Set([...before, ...taken.added]) },
          statements: [
            {
              sql: "INSERT INTO measure_series SELECT $1, * FROM unnest($2::bytea[])",
              values: [number, taken.added.map((key) => Buffer.from(key))],
            },
          ],
        };
      }, true);
      series.set(number, all);
      return fitting;
    },
  };
}

async function lockLoadTest(run: Run, number: number, id: string): Promise<void> {
  const found = await run("SELECT 1 FROM load_tests WHERE number = $1 FOR UPDATE", [number]);
  if (found.length === 0) throw unknownLoadTest(id);
}

function endpointOf(row: Row): Endpoint {
  return { number: Number(row["number"]), label: textOf(row["label"]) };
}
