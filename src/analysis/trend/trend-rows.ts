import { compareLabels } from "../../model/label.ts";
import type { DerivedRole } from "../../model/role.ts";
import type { Figures } from "../../query/figures.ts";
import { TREND_FIGURES, type TrendFigure, trendValue, type TrendValues } from "./trend-figures.ts";

/** An endpoint over the load tests of a series. */
export interface EndpointTrend extends TrendValues {
  readonly label: string;
  /** SHA-1 of the label, 40 hex digits. */
  readonly hash: string;
  /** Of the latest load test that has it; absent where its rows are requests. */
  readonly role?: DerivedRole | undefined;
}

type Summarised = Figures & Pick<EndpointTrend, "label" | "hash" | "role">;

/** So many labels are kept while load tests are read, so that memory is bounded. */
const LABELS_KEPT = 1000;

/** So many endpoints are answered, the busiest. */
const ENDPOINTS_MAX = 100;

/** Collects what each load test says of each endpoint. To be filled with the latest load test first. */
export class TrendRows {
  readonly #loadTests: number;
  readonly #overall: ValueLists;
  readonly #rows = new Map<string, EndpointRow>();
  #refused = 0;

  constructor(loadTests: number) {
    this.#loadTests = loadTests;
    this.#overall = noValues(loadTests);
  }

  /** The figures of the load test in this place. */
  add(at: number, overall: Figures, endpoints: readonly Summarised[]): void {
    setValues(this.#overall, at, overall);
    const enough = countOfBusiest(endpoints);
    let refused = 0;
    for (const figures of endpoints) {
      if (!this.#addEndpoint(at, figures, enough)) refused += 1;
    }
    this.#refused = Math.max(this.#refused, refused);
  }

  /** Whether its label has room already, or is one of the busiest and there is still some. */
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

  /** The busiest, by label. */
  endpoints(): readonly EndpointTrend[] {
    return [...this.#rows.values()]
      .toSorted((left, right) => right.requests - left.requests)
      .slice(0, ENDPOINTS_MAX)
      .toSorted((left, right) => compareLabels(left.about.label, right.about.label))
      .map(({ about, values }) => ({ ...about, ...values }));
  }

  /** At least so many endpoints are not among them. */
  get endpointsLeftOut(): number {
    return Math.max(0, this.#rows.size - ENDPOINTS_MAX) + this.#refused;
  }
}

/** How many requests the busiest have at least that there is room for. Cheap for a million labels. */
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
