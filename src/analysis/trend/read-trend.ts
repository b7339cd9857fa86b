import type { QualityRemark } from "../../api/parts.ts";
import type {
  MeasureTrend,
  Trend,
  TrendChange,
  TrendLoadTest,
  TrendValues,
} from "../../api/trend.ts";
import { verdictIn } from "../../catalogue/baseline.ts";
import { UserError } from "../../model/errors.ts";
import { type LoadTestSummary, positionOf } from "../../model/load-test.ts";
import type { MeasureSelector } from "../../model/measures/measure-selector.ts";
import { worseDirection } from "../../model/measures/worse-direction.ts";
import { conditionsText } from "../../series/merge-all-series.ts";
import type { Points, Store } from "../../store/store.ts";
import { type FoundChange, findChanges } from "./find-changes.ts";
import { FIGURE_OF, type MeasurePart, type MeasureRow, readMeasureRows } from "./measure-runs.ts";
import type { TrendPart } from "./run-values.ts";
import { comparableValues } from "./trend-figures.ts";
import { readTrendRows } from "./trend-rows.ts";
import { type SeriesQuery, selectSeries, seriesText } from "./trend-series.ts";

export interface TrendQuery extends SeriesQuery, TrendPart {
  /** Measures to read, too. @default none */
  readonly selector?: MeasureSelector | undefined;
}

export type ReadTrend = Trend & {
  readonly series: string;
  /** By load test; `undefined` for deleted ones. */
  readonly revisions: readonly (string | undefined)[];
};

/** Endpoints returned, busiest first. */
const ENDPOINTS_MAX = 100;

/** Reads a series and finds changes. Throws `unknown-load-test`, `unknown-facet`, `bad-parameter` and what `summarise` throws. */
export async function readTrend(
  store: Pick<Store, "loadTests" | "points">,
  query: TrendQuery,
): Promise<ReadTrend> {
  const series = await selectSeries(store.loadTests, query);
  const { loadTests, earlier, since, baseline } = series;
  const { rows, revisions, qualities } = await readTrendRows(store, loadTests, query);
  requireFacets(query, rows.overall);
  const endpoints = rows.endpoints(ENDPOINTS_MAX);
  const shown = loadTests.map((loadTest, at) => shownLoadTest(loadTest, qualities[at] ?? []));
  // Changes overall are tested separately, whatever the number of endpoints.
  const [ofWhole = []] = await findChanges([comparableValues(rows.overall, shown)]);
  const ofEndpoints = await findChanges(endpoints.map((each) => comparableValues(each, shown)));
  const found = [
    ...ofWhole.map((each) => ({ about: {}, ...each })),
    ...endpoints.flatMap(({ label, hash }, index) =>
      (ofEndpoints[index] ?? []).map((each) => ({ about: { label, hash }, ...each })),
    ),
  ];
  const { selector, skipStartSeconds, skipEndSeconds } = query;
  const part = selector && { selector, skipStartSeconds, skipEndSeconds };
  const measures = part && (await readMeasureTrend(store.points, loadTests, shown, part));
  return {
    series: seriesText(series),
    revisions,
    loadTests: shown,
    ...(since === undefined ? {} : { since }),
    ...(baseline === undefined ? {} : { baseline }),
    leftOut: { loadTests: earlier, endpoints: rows.leftOutBeyond(ENDPOINTS_MAX) },
    changes: found.toSorted(byImportance).map((each) => reportedChange(each, loadTests)),
    overall: rows.overall,
    ...(measures && { measures }),
    endpoints,
  };
}

/** Throws `unknown-facet` if no run has them. */
function requireFacets({ selection: { facets } }: TrendQuery, { count }: TrendValues): void {
  const where = conditionsText(facets?.where ?? []);
  if (where === undefined || count.length === 0 || count.some((each) => each !== null)) return;
  throw new UserError("unknown-facet", `none of ${count.length} runs has requests with ${where}`);
}

function shownLoadTest(
  loadTest: LoadTestSummary,
  quality: readonly QualityRemark[],
): TrendLoadTest {
  const { id, name } = loadTest;
  const startedAt = Math.floor(positionOf(loadTest).startedAtMs / 1000);
  const verdict = verdictIn(loadTest);
  return { id, name, startedAt, quality, ...(verdict === undefined ? {} : { verdict }) };
}

interface ChangeOfEndpoint extends FoundChange {
  readonly about: { readonly label?: string; readonly hash?: string };
}

function byImportance(left: ChangeOfEndpoint, right: ChangeOfEndpoint): number {
  const [ofLeft, ofRight] = [left, right].map(({ about }) => (about.hash === undefined ? 0 : 1));
  return right.at - left.at || (ofLeft ?? 0) - (ofRight ?? 0) || left.chance - right.chance;
}

/** `loadTests`: those that `at` is an index of. */
export function reportedChange(
  { about, at, before, after, chance, ...others }: ChangeOfEndpoint,
  loadTests: readonly Pick<LoadTestSummary, "id">[],
): TrendChange {
  const change = changeBetween(others.figure, before, after);
  return {
    loadTestId: (loadTests[at] as Pick<LoadTestSummary, "id">).id,
    ...about,
    ...others,
    before: rounded(before),
    after: rounded(after),
    ...(change === undefined ? {} : { change: rounded(change) }),
    chance: Number(chance.toPrecision(3)),
  };
}

/** Relative, of failures the difference; `undefined` if it was 0. */
export function changeBetween(
  figure: FoundChange["figure"],
  before: number,
  after: number,
): number | undefined {
  if (figure === "errRate") return after - before;
  return before === 0 ? undefined : after / before - 1;
}

/** Six decimals, as all statistics. */
function rounded(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}

type MeasureChange = MeasureTrend["changes"][number];

/** Reads measures over runs and finds changes of their statistics; `shown` are the same runs. Throws what `readMeasureRows` throws. */
async function readMeasureTrend(
  points: Pick<Points, "snapshot" | "figures">,
  loadTests: readonly LoadTestSummary[],
  shown: Trend["loadTests"],
  part: MeasurePart,
): Promise<readonly MeasureTrend[]> {
  const rows = [...(await readMeasureRows(points, loadTests, part)).values()];
  const found = await findChanges(rows.map(({ values }) => comparableValues(values, shown)));
  return rows.map((row, index) => trendOf(row, found[index] ?? [], loadTests));
}

function trendOf(
  { about, values }: MeasureRow,
  found: readonly FoundChange[],
  loadTests: readonly LoadTestSummary[],
): MeasureTrend {
  const { name, unit, kind, tags, endpoint } = about;
  const statistics = FIGURE_OF[kind];
  const lists = statistics.map(([statistic, figure]) => [statistic, values[figure]]);
  const changes = statistics.flatMap(([statistic, figure]) =>
    found
      .filter((each) => each.figure === figure)
      .map(({ at, before, after, chance, loadTestsBefore, loadTestsAfter }): MeasureChange => {
        const change = kind === "rate" ? after - before : ratioOf(before, after);
        return {
          loadTestId: (loadTests[at] as LoadTestSummary).id,
          statistic,
          loadTestsBefore,
          loadTestsAfter,
          before,
          after,
          chance,
          verdict: verdictOf(about, after > before),
          ...(change === undefined ? {} : { change }),
        };
      }),
  );
  const ids = loadTests.map(({ id }) => id);
  return {
    name,
    unit,
    kind,
    tags,
    ...(endpoint && { endpoint }),
    count: values.count,
    ...Object.fromEntries(lists),
    changes: changes.toSorted(
      (one, other) => ids.indexOf(other.loadTestId) - ids.indexOf(one.loadTestId),
    ),
  };
}

function ratioOf(before: number, after: number): number | undefined {
  return before > 0 ? after / before - 1 : undefined;
}

function verdictOf(about: MeasureRow["about"], isHigher: boolean): MeasureChange["verdict"] {
  const worse = worseDirection(about);
  if (worse === "either") return "changed";
  return (worse === "higher") === isHigher ? "worse" : "better";
}
