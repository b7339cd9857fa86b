import {
  COMPARED_FIGURES,
  type ComparedCell,
  type ComparedRow,
  type ComparedRuns,
  type Comparison,
  type LoadTestComparison,
} from "../../api/compare.ts";
import { compareLabels } from "../../model/label.ts";
import { type LoadTestSummary, positionOf } from "../../model/load-test.ts";
import { eventJson } from "../../query/read-events.ts";
import type { Store } from "../../store/store.ts";
import { compareEach, ERROR_PROBABILITY, rankOf, surelyGrown } from "./compare-load-tests.ts";
import { compareMeasures, readMeasuresOfBase } from "./compare-measures.ts";
import type { ComparedPart } from "./compare-side.ts";
import { withNoiseBetween } from "./compare-with-earlier.ts";
import type { EarlierRuns } from "./earlier-runs.ts";
import { MeasuresOfSeveral } from "./measures-of-several.ts";
import { propertyOf, type RunsQuery, type SelectedRuns } from "./select-runs.ts";

export interface SeveralQuery extends RunsQuery, Omit<ComparedPart, "loadTestId" | "range"> {
  readonly limit: number;
}

interface SeveralHistory {
  /** The earlier runs of each comparison with the first run. */
  readonly earlier: readonly EarlierRuns[];
  readonly history: Pick<Store, "points">;
}

/** Compares each run with the first one. Throws what `compareWithEarlier` throws, and `too-many-endpoints`. */
export async function compareSeveral(
  store: Pick<Store, "points">,
  { loadTests, leftOut }: SelectedRuns,
  query: SeveralQuery,
  { earlier, history }: SeveralHistory,
): Promise<ComparedRuns> {
  const [base, ...others] = loadTests;
  if (base === undefined) throw new Error("BUG: nothing to compare");
  const { selection, skipStartSeconds, skipEndSeconds, limit, per } = query;
  const partOf = ({ id }: LoadTestSummary): ComparedPart => {
    return { loadTestId: id, selection, range: undefined, skipStartSeconds, skipEndSeconds };
  };
  const rows = new Map<string, EndpointRow>();
  const measures = new MeasuresOfSeveral(loadTests.length);
  const ofBase = await readMeasuresOfBase(store.points, { base: partOf(base) });
  const measureReading = { history: history.points, ofBase };
  const overall: ComparedCell[] = [];
  const compared: ComparedRuns["loadTests"][number][] = [];
  for await (const within of compareEach(store.points, partOf(base), others.map(partOf))) {
    const at = Math.max(0, compared.length - 1);
    const [later, own] = [others[at] as LoadTestSummary, earlier[at] as EarlierRuns];
    const pair = { base: partOf(base), later: partOf(later) };
    const comparison = await withNoiseBetween(within, pair, own, history);
    if (at === 0) {
      overall.push(baseCell(comparison.overall));
      compared.push(runOf(base, comparison, "base", per));
    }
    overall.push(cellOf(comparison.overall));
    compared.push(runOf(later, comparison, "value", per));
    for (const row of comparison.endpoints) addRow(rows, row, at + 1, loadTests.length);
    measures.add(at + 1, await compareMeasures(store.points, pair, own, measureReading));
  }
  const endpoints = [...rows.values()].toSorted(
    (left, right) =>
      left.rank - right.rank ||
      right.grown - left.grown ||
      compareLabels(left.about.label, right.about.label),
  );
  const measureRows = measures.rows();
  return {
    loadTests: compared,
    overall,
    endpoints: endpoints.slice(0, limit).map(({ about, cells }) => ({ ...about, cells })),
    ...(measureRows.length > 0 && { measures: measureRows.slice(0, limit) }),
    leftOut: {
      endpoints: Math.max(0, endpoints.length - limit),
      ...(measureRows.length > limit && { measures: measureRows.length - limit }),
      loadTests: leftOut,
    },
    errorProbability: {
      each: ERROR_PROBABILITY,
      // At most the sum, whatever the comparisons have in common.
      any: Math.min(1, Number((others.length * ERROR_PROBABILITY).toFixed(4))),
    },
  };
}

interface EndpointRow {
  readonly about: Pick<ComparedRuns["endpoints"][number], "label" | "hash" | "role">;
  readonly cells: ComparedCell[];
  /** The rank of the endpoint's worst run. */
  rank: number;
  grown: number;
}

function addRow(
  rows: Map<string, EndpointRow>,
  row: LoadTestComparison["endpoints"][number],
  at: number,
  runs: number,
): void {
  const { label, hash, role } = row;
  const about = { label, hash, ...(role && { role }) };
  const found = rows.get(label) ?? { about, cells: noCells(runs), rank: Infinity, grown: 0 };
  rows.set(label, found);
  found.cells[0] = baseCell(row);
  found.cells[at] = cellOf(row);
  const [rank, grown] = [rankOf(row), surelyGrown(row)];
  if (rank > found.rank || (rank === found.rank && grown <= found.grown)) return;
  found.rank = rank;
  found.grown = grown;
}

/** Of runs without a request of the endpoint. */
function noCells(runs: number): ComparedCell[] {
  const none = { shift: {}, errRate: {}, avgLoadTime: {}, p50: {}, p95: {}, p99: {} };
  return Array.from({ length: runs }, () => ({ count: 0, ...none }));
}

function runOf(
  loadTest: LoadTestSummary,
  { overallOf, leftOut, quality, noise }: LoadTestComparison,
  side: "base" | "value",
  per: string | undefined,
): ComparedRuns["loadTests"][number] {
  const { id, name, properties, until, description, events = [] } = loadTest;
  const reason = (description ?? "").trim().split("\n", 1).join().slice(0, REASON_MAX);
  const value = per === undefined ? undefined : propertyOf(properties, per);
  return {
    id,
    name,
    startedAt: Math.floor(positionOf(loadTest).startedAtMs / 1000),
    ...(until !== undefined && { until }),
    ...(value !== undefined && { value }),
    ...(reason !== "" && { reason }),
    ...(events.length > 0 && { events: events.slice(0, EVENTS_SHOWN).map(eventJson) }),
    overallOf,
    leftOut,
    quality: quality[side],
    ...(side === "value" && noise && { noise }),
  };
}

const REASON_MAX = 100;

const EVENTS_SHOWN = 100;

function cellOf({ verdict, count, shift, ...row }: ComparedRow): ComparedCell {
  const figures = figuresOf((each) => laterFigure(row[each]));
  return { count: count.value, verdict, shift: laterFigure(shift), ...figures };
}

function laterFigure({ value, change, isSignificant }: Comparison): CellFigure {
  return {
    ...(value !== undefined && { value }),
    ...(change !== undefined && { change }),
    ...(isSignificant !== undefined && { isSignificant }),
  };
}

function baseCell(row: ComparedRow): ComparedCell {
  return { count: row.count.base, shift: {}, ...figuresOf((each) => baseFigure(row[each])) };
}

function baseFigure({ base }: Comparison): CellFigure {
  return base === undefined ? {} : { value: base };
}

type CellFigure = ComparedCell["p95"];

function figuresOf(of: (figure: (typeof COMPARED_FIGURES)[number]) => CellFigure) {
  const members = COMPARED_FIGURES.map((figure) => [figure, of(figure)]);
  return Object.fromEntries(members) as Pick<ComparedCell, (typeof COMPARED_FIGURES)[number]>;
}
