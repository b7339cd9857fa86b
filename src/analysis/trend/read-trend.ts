import type { Figures } from "../../api/summary.ts";
import { UserError } from "../../model/errors.ts";
import { type LoadTestSummary, positionOf } from "../../model/load-test.ts";
import type { Store } from "../../store/store.ts";
import type { EndpointSelection } from "../../series/endpoint-selection.ts";
import { hasRamps, type SteadyPart, steadyRange } from "../../series/steady-range.ts";
import { type Summary, summarise } from "../../query/open-summary.ts";
import type { QualityRemark } from "../../api/parts.ts";
import { remarksOn } from "../../query/source-facts.ts";
import { type FoundChange, findChanges } from "./find-changes.ts";
import {
  TREND_FIGURES,
  type TrendChange,
  type TrendFigure,
  type TrendLoadTest,
} from "../../api/trend.ts";
import { type TrendValues, trendValue } from "./trend-figures.ts";
import { type SeriesQuery, selectSeries, seriesText } from "./trend-series.ts";
import { compareLabels } from "../../model/label.ts";
import type { DerivedRole } from "../../model/role.ts";

export interface TrendQuery extends SeriesQuery, Omit<SteadyPart, "range"> {
  readonly selection: EndpointSelection;
}

export interface Trend {
  /** In order of start, latest last. Lists of values have one value for each. */
  readonly loadTests: readonly TrendLoadTest[];
  /** Load test that was requested or pinned as the start of the history. */
  readonly since?: string | undefined;
  /** The pinned baseline, whether or not the history starts there. */
  readonly baseline?: string | undefined;
  readonly leftOut: {
    /** Number of earlier load tests of the series. */
    readonly loadTests: number;
    /** Lower bound of the endpoints with fewer requests than the listed ones. */
    readonly endpoints: number;
  };
  /** Latest first; within a load test all endpoints first, then the clearest. */
  readonly changes: readonly TrendChange[];
  /** All that is selected as one (`overall.ts`). */
  readonly overall: TrendValues;
  /** By label. */
  readonly endpoints: readonly EndpointTrend[];
}

export interface ReadTrend extends Trend {
  readonly series: string;
  /** By load test; `undefined` for deleted ones. */
  readonly revisions: readonly (string | undefined)[];
}

/**
 * Reads the statistics of a series and finds changes. Throws `unknown-load-test`, `bad-parameter` and what
 * `summarise` throws.
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
  // Latest first, so that the labels kept are current ones.
  for (const [before, loadTest] of loadTests.toReversed().entries()) {
    const summary = await summaryOf(store, loadTest, query);
    if (summary === undefined) continue;
    const at = loadTests.length - 1 - before;
    rows.add(at, summary.overall, summary.endpoints);
    revisions[at] = summary.revision;
    qualities[at] = qualityOf(summary);
  }
  const endpoints = rows.endpoints();
  // Changes overall are tested separately, whatever the number of endpoints.
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
    changes: found.toSorted(byImportance).map((each) => reportedChange(each, loadTests)),
    overall: rows.overall,
    endpoints,
  };
}

/** `undefined` if the load test was deleted meanwhile. */
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
  return { id, name, startedAt: Math.floor(positionOf(loadTest).startedAtMs / 1000), quality };
}

interface ChangeOfEndpoint extends FoundChange {
  readonly about: { readonly label?: string; readonly hash?: string };
}

function byImportance(left: ChangeOfEndpoint, right: ChangeOfEndpoint): number {
  const [ofLeft, ofRight] = [left, right].map(({ about }) => (about.hash === undefined ? 0 : 1));
  return right.at - left.at || (ofLeft ?? 0) - (ofRight ?? 0) || left.chance - right.chance;
}

function reportedChange(
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

/** Six decimals, as all figures. */
function rounded(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}

interface EndpointTrend extends TrendValues {
  readonly label: string;
  /** SHA-1 of the label, 40 hex digits. */
  readonly hash: string;
  /** Role in the latest load test that has it; absent for requests. */
  readonly role?: DerivedRole | undefined;
}

type Summarised = Figures & Pick<EndpointTrend, "label" | "hash" | "role">;

/** Labels held while reading, so that memory is bounded. */
const LABELS_KEPT = 1000;

/** Endpoints returned, busiest first. */
const ENDPOINTS_MAX = 100;

/** Must be filled with the latest load test first. */
export class TrendRows {
  readonly #loadTests: number;
  readonly #overall: ValueLists;
  readonly #rows = new Map<string, EndpointRow>();
  #refused = 0;

  constructor(loadTests: number) {
    this.#loadTests = loadTests;
    this.#overall = noValues(loadTests);
  }

  add(at: number, overall: Figures, endpoints: readonly Summarised[]): void {
    setValues(this.#overall, at, overall);
    const enough = countOfBusiest(endpoints);
    let refused = 0;
    for (const figures of endpoints) {
      if (!this.#addEndpoint(at, figures, enough)) refused += 1;
    }
    this.#refused = Math.max(this.#refused, refused);
  }

  /** Whether its label has a row, or is busy enough for a free one. */
  #addEndpoint(at: number, figures: Summarised, enough: number): boolean {
    const { label, hash, role, count } = figures;
    let row = this.#rows.get(label);
    if (row === undefined) {
      if (count < enough || this.#rows.size === LABELS_KEPT) return false;
      const about = { label, hash, ...(role === undefined ? {} : { role }) };
      row = { about, requests: 0, values: noValues(this.#loadTests) };
      this.#rows.set(label, row);
    }
    row.requests += count;
    setValues(row.values, at, figures);
    return true;
  }

  get overall(): TrendValues {
    return this.#overall;
  }

  /** Sorted by label. */
  endpoints(): readonly EndpointTrend[] {
    return [...this.#rows.values()]
      .toSorted((left, right) => right.requests - left.requests)
      .slice(0, ENDPOINTS_MAX)
      .toSorted((left, right) => compareLabels(left.about.label, right.about.label))
      .map(({ about, values }) => ({ ...about, ...values }));
  }

  /** Lower bound of the endpoints not returned. */
  get endpointsLeftOut(): number {
    return Math.max(0, this.#rows.size - ENDPOINTS_MAX) + this.#refused;
  }
}

/** Request count of the least busy endpoint that fits. Cheap for a million labels. */
function countOfBusiest(endpoints: readonly Summarised[]): number {
  if (endpoints.length <= LABELS_KEPT) return 0;
  const ascending = Float64Array.from(endpoints, ({ count }) => count).toSorted();
  return ascending.at(-LABELS_KEPT) ?? 0;
}

type ValueLists = Record<TrendFigure, (number | undefined)[]>;

interface EndpointRow {
  readonly about: Pick<EndpointTrend, "label" | "hash" | "role">;
  requests: number;
  readonly values: ValueLists;
}

function noValues(loadTests: number): ValueLists {
  const none = (): undefined[] => Array.from({ length: loadTests }, () => undefined);
  return {
    count: none(),
    errRate: none(),
    avgLoadTime: none(),
    p50: none(),
    p95: none(),
    p99: none(),
  };
}

function setValues(values: ValueLists, at: number, figures: Figures): void {
  for (const figure of TREND_FIGURES) values[figure][at] = trendValue(figures, figure);
}
