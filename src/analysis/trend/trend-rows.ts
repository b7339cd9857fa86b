import type { QualityRemark } from "../../api/parts.ts";
import {
  type EndpointTrend,
  TREND_FIGURES,
  type TrendFigure,
  type TrendValues,
} from "../../api/trend.ts";
import { compareLabels } from "../../model/label.ts";
import type { LoadTestSummary } from "../../model/load-test.ts";
import { hashOfLabel } from "../../series/endpoint-selection.ts";
import type { Store } from "../../store/store.ts";
import {
  type EndpointRunFigures,
  type OnUnread,
  readEachRunValues,
  type RunFigures,
  type TrendPart,
} from "./run-values.ts";
import { trendValue } from "./trend-figures.ts";

/** Reads the statistics of each load test, without those that `onUnread` is told of. Throws what `summarise` throws. */
export async function readTrendRows(
  { points }: Pick<Store, "points">,
  loadTests: readonly LoadTestSummary[],
  part: TrendPart,
  onUnread?: OnUnread,
) {
  const rows = new TrendRows(loadTests.length);
  // `undefined` for deleted ones.
  const revisions: (string | undefined)[] = loadTests.map(() => undefined);
  const qualities: (readonly QualityRemark[])[] = loadTests.map(() => []);
  // Latest first, so that the labels kept are current ones.
  let at = loadTests.length;
  const latestFirst = loadTests.toReversed();
  for await (const values of readEachRunValues(points, latestFirst, part, onUnread)) {
    at -= 1;
    if (values === undefined) continue;
    rows.add(at, values.overall, values.endpoints);
    revisions[at] = values.revision;
    qualities[at] = values.quality;
  }
  return { rows, revisions, qualities };
}

/** Values held while reading, by label and load test, so that memory is bounded. */
const CELLS_MAX = 400_000;

const LABELS_MAX = 1000;

/** Must be filled with the latest load test first. */
export class TrendRows {
  readonly #loadTests: number;
  readonly #labelsMax: number;
  readonly #overall: ValueLists;
  readonly #rows = new Map<string, EndpointRow>();
  #refused = 0;

  constructor(loadTests: number) {
    this.#loadTests = loadTests;
    this.#labelsMax = Math.min(LABELS_MAX, Math.floor(CELLS_MAX / loadTests));
    this.#overall = noValues(loadTests);
  }

  add(at: number, overall: RunFigures, endpoints: readonly EndpointRunFigures[]): void {
    setValues(this.#overall, at, overall);
    const enough = countOfBusiest(endpoints, this.#labelsMax);
    let refused = 0;
    for (const figures of endpoints) {
      if (!this.#addEndpoint(at, figures, enough)) refused += 1;
    }
    this.#refused = Math.max(this.#refused, refused);
  }

  /** Whether its label has a row, or is busy enough for a free one. */
  #addEndpoint(at: number, figures: EndpointRunFigures, enough: number): boolean {
    const { label, role, count } = figures;
    let row = this.#rows.get(label);
    if (row === undefined) {
      if (count < enough || this.#rows.size === this.#labelsMax) return false;
      const about = { label, hash: hashOfLabel(label), ...(role === undefined ? {} : { role }) };
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
function countOfBusiest(endpoints: readonly EndpointRunFigures[], most: number): number {
  if (endpoints.length <= most) return 0;
  const ascending = Float64Array.from(endpoints, ({ count }) => count).toSorted();
  return ascending.at(-most) ?? 0;
}

type ValueLists = Record<TrendFigure, (number | null)[]>;

interface EndpointRow {
  /** With the role in the latest load test that has it. */
  readonly about: Pick<EndpointTrend, "label" | "hash" | "role">;
  requests: number;
  readonly values: ValueLists;
}

function noValues(loadTests: number): ValueLists {
  const none = (): null[] => Array.from({ length: loadTests }, () => null);
  return Object.fromEntries(TREND_FIGURES.map((figure) => [figure, none()])) as ValueLists;
}

function setValues(values: ValueLists, at: number, figures: RunFigures): void {
  for (const figure of TREND_FIGURES) values[figure][at] = trendValue(figures, figure);
}
