import { UserError } from "../../model/errors.ts";
import { type LoadTestSummary, placeOf } from "../../model/load-test.ts";
import type { Store } from "../../store/store.ts";
import type { EndpointSelection } from "../../series/endpoint-selection.ts";
import { hasRamps, type SteadyPart, steadyRange } from "../../series/steady-range.ts";
import { type Summary, summarise } from "../../query/open-summary.ts";
import { type QualityRemark, remarksOn } from "../../query/source-facts.ts";
import { type FoundChange, findChanges } from "./find-changes.ts";
import type { TrendValues } from "./trend-figures.ts";
import { type EndpointTrend, TrendRows } from "./trend-rows.ts";
import { type SeriesQuery, selectSeries, seriesText } from "./trend-series.ts";

export interface TrendQuery extends SeriesQuery, Omit<SteadyPart, "range"> {
  readonly selection: EndpointSelection;
}

export interface Trend {
  /** By their start, the latest last: what each list of values has one value of. */
  readonly loadTests: readonly TrendLoadTest[];
  /** The load test that the history begins at because somebody said so: asked for, or pinned. */
  readonly since?: string | undefined;
  /** The pinned baseline of the name, whether the history begins there or not. */
  readonly baseline?: string | undefined;
  readonly leftOut: {
    /** Load tests of the series that started before these. */
    readonly loadTests: number;
    /** Endpoints with fewer requests than those answered: at least so many. */
    readonly endpoints: number;
  };
  /** The latest first; those of one load test first of all endpoints as one, then the clearest. */
  readonly changes: readonly TrendChange[];
  /** All that is selected as one (`whole.ts`). */
  readonly overall: TrendValues;
  /** By label. */
  readonly endpoints: readonly EndpointTrend[];
}

export interface TrendLoadTest {
  readonly id: string;
  readonly name: string;
  /** UNIX second of its first request; of its creation where no instant is known. */
  readonly startedAt: number;
  /** What its figures cannot tell. */
  readonly quality: readonly QualityRemark[];
}

export interface TrendChange extends Omit<FoundChange, "at"> {
  /** The load test that brought it. */
  readonly loadTestId: string;
  /** Of the endpoint; absent where it is all endpoints as one. */
  readonly label?: string | undefined;
  readonly hash?: string | undefined;
  /** 0.1 where it has grown by 10 %, or `errRate` by 0.1; absent where it was 0. */
  readonly change?: number | undefined;
}

/** A trend, and what it was made of besides the query. */
export interface ReadTrend extends Trend {
  /** See `seriesText`. */
  readonly series: string;
  /** Of the data of each load test; `undefined` for one that was deleted meanwhile. */
  readonly revisions: readonly (string | undefined)[];
}

/**
 * The figures of a series of load tests, and where they have changed. Throws `unknown-load-test`,
 * `bad-parameter` and what `summarise` throws.
 */
export async function readTrend(
  store: Pick<Store, "loadTests" | "points">,
  query: TrendQuery,
): Promise<ReadTrend> {
  const series = await selectSeries(store.loadTests, query);
  const { loadTests, earlier, since, baseline } = series;
  const rows = new TrendRows(loadTests.length);
  const revisions: (string | undefined)[] = loadTests.map(() => undefined);
  const qualities: (readonly QualityRemark[])[] = loadTests.map(() => []);
  // The latest first, so that the labels that there is room for are those of today.
  for (const [before, loadTest] of loadTests.toReversed().entries()) {
    const summary = await summaryOf(store, loadTest, query);
    if (summary === undefined) continue;
    const at = loadTests.length - 1 - before;
    rows.add(at, summary.overall, summary.endpoints);
    revisions[at] = summary.revision;
    qualities[at] = qualityOf(summary);
  }
  const endpoints = rows.endpoints();
  // The whole is judged as sharply with a hundred endpoints as with one.
  const [ofWhole = []] = await findChanges([rows.overall]);
  const ofEndpoints = await findChanges(endpoints);
  const found = [
    ...ofWhole.map((each) => ({ about: {}, ...each })),
    ...endpoints.flatMap(({ label, hash }, index) =>
      (ofEndpoints[index] ?? []).map((each) => ({ about: { label, hash }, ...each })),
    ),
  ];
  return {
    series: seriesText(series),
    revisions,
    loadTests: loadTests.map((loadTest, at) => shownLoadTest(loadTest, qualities[at] ?? [])),
    ...(since === undefined ? {} : { since }),
    ...(baseline === undefined ? {} : { baseline }),
    leftOut: { loadTests: earlier, endpoints: rows.endpointsLeftOut },
    changes: found.toSorted(byImportance).map((each) => toldChange(each, loadTests)),
    overall: rows.overall,
    endpoints,
  };
}

/** `undefined` where the load test was deleted meanwhile. */
async function summaryOf(
  { points }: Pick<Store, "points">,
  loadTest: LoadTestSummary,
  query: TrendQuery,
): Promise<Summary | undefined> {
  const { id, from, until } = loadTest;
  const span = from === undefined || until === undefined ? undefined : { from, until: until + 1 };
  const range = hasRamps({ range: undefined, ...query })
    ? steadyRange({ range: undefined, ...query }, span)
    : undefined;
  const { selection } = query;
  try {
    return await summarise(points, { loadTestId: id, selection, range, apdexMicros: undefined });
  } catch (error) {
    if (error instanceof UserError && error.code === "unknown-load-test") return undefined;
    throw error;
  }
}

function qualityOf({ overall, endpoints, quality }: Summary): readonly QualityRemark[] {
  const isReported = [overall, ...endpoints].some(({ percentiles }) => percentiles === "reported");
  return remarksOn(quality, ["times", isReported ? "reported" : "unmerged"]);
}

function shownLoadTest(
  loadTest: LoadTestSummary,
  quality: readonly QualityRemark[],
): TrendLoadTest {
  const { id, name } = loadTest;
  return { id, name, startedAt: Math.floor(placeOf(loadTest).startedAtMs / 1000), quality };
}

interface ChangeOfEndpoint extends FoundChange {
  readonly about: { readonly label?: string; readonly hash?: string };
}

function byImportance(left: ChangeOfEndpoint, right: ChangeOfEndpoint): number {
  const [ofLeft, ofRight] = [left, right].map(({ about }) => (about.hash === undefined ? 0 : 1));
  return right.at - left.at || (ofLeft ?? 0) - (ofRight ?? 0) || left.chance - right.chance;
}

function toldChange(
  { about, at, before, after, chance, ...others }: ChangeOfEndpoint,
  loadTests: readonly LoadTestSummary[],
): TrendChange {
  const change = changeBetween(others.figure, before, after);
  return {
    loadTestId: (loadTests[at] as LoadTestSummary).id,
    ...about,
    ...others,
    before: rounded(before),
    after: rounded(after),
    ...(change === undefined ? {} : { change: rounded(change) }),
    chance: Number(chance.toPrecision(3)),
  };
}

function changeBetween(
  figure: FoundChange["figure"],
  before: number,
  after: number,
): number | undefined {
  if (figure === "errRate") return after - before;
  return before === 0 ? undefined : after / before - 1;
}

/** To six places, as all figures are. */
function rounded(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}
