import type { Figures } from "../../api/summary.ts";
import type { QualityRemark } from "../../api/parts.ts";
import { TREND_FIGURES, type TrendFigure } from "../../api/trend.ts";
import { UserError } from "../../model/errors.ts";
import { compareLabels } from "../../model/label.ts";
import type { LoadTestSummary } from "../../model/load-test.ts";
import type { DerivedRole } from "../../model/role.ts";
import { type Summary, summarise } from "../../query/open-summary.ts";
import { remarksOn } from "../../query/source-facts.ts";
import type { EndpointSelection } from "../../series/endpoint-selection.ts";
import { hasRamps, type SteadyPart, steadyRange } from "../../series/steady-range.ts";
import type { Store } from "../../store/store.ts";
import { type TrendValues, trendValue } from "./trend-figures.ts";

/** The part of each load test that is read. */
export interface TrendPart extends Omit<SteadyPart, "range"> {
  readonly selection: EndpointSelection;
}

/** Reads the statistics of each load test. Throws what `summarise` throws. */
export async function readTrendRows(
  store: Pick<Store, "points">,
  loadTests: readonly LoadTestSummary[],
  part: TrendPart,
) {
  const rows = new TrendRows(loadTests.length);
  // `undefined` for deleted ones.
  const revisions: (string | undefined)[] = loadTests.map(() => undefined);
  const qualities: (readonly QualityRemark[])[] = loadTests.map(() => []);
  // Latest first, so that the labels kept are current ones.
  for (const [before, loadTest] of loadTests.toReversed().entries()) {
    const summary = await summaryOf(store, loadTest, part);
    if (summary === undefined) continue;
    const at = loadTests.length - 1 - before;
    rows.add(at, summary.overall, summary.endpoints);
    revisions[at] = summary.revision;
    qualities[at] = qualityOf(summary);
  }
  return { rows, revisions, qualities };
}

/** `undefined` if the load test was deleted meanwhile. */
async function summaryOf(
  { points }: Pick<Store, "points">,
  loadTest: LoadTestSummary,
  { selection, skipStartSeconds, skipEndSeconds }: TrendPart,
): Promise<Summary | undefined> {
  const { id, from, until } = loadTest;
  const span = from === undefined || until === undefined ? undefined : { from, until: until + 1 };
  const part = { range: undefined, skipStartSeconds, skipEndSeconds };
  const range = hasRamps(part) ? steadyRange(part, span) : undefined;
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

export interface EndpointTrend extends TrendValues {
  readonly label: string;
  /** SHA-1 of the label, 40 hex digits. */
  readonly hash: string;
  /** Role in the latest load test that has it; absent for requests. */
  readonly role?: DerivedRole | undefined;
}

type Summarised = Figures & Pick<EndpointTrend, "label" | "hash" | "role">;

/** Labels held while reading, so that memory is bounded. */
const LABELS_KEPT = 1000;

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

  /** The `most` busiest, sorted by label. */
  endpoints(most: number): readonly EndpointTrend[] {
    return [...this.#rows.values()]
      .toSorted((left, right) => right.requests - left.requests)
      .slice(0, most)
      .toSorted((left, right) => compareLabels(left.about.label, right.about.label))
      .map(({ about, values }) => ({ ...about, ...values }));
  }

  /** Lower bound of the endpoints beside the `most` busiest. */
  leftOutBeyond(most: number): number {
    return Math.max(0, this.#rows.size - most) + this.#refused;
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
