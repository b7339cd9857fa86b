import type { DataPoints, DistributionColumns, SumColumns } from "../model/data-points.ts";
import { compareLabels } from "../model/label.ts";
import { ALL_SECONDS, type SecondRange, withoutSecondZero } from "../model/second-range.ts";
import type { Endpoint } from "../model/load-test.ts";
import { NumberSet } from "../model/number-set.ts";
import { numbersWhere } from "../model/numbers-where.ts";
import type { ManyEndpoints, Snapshot } from "../store/store.ts";
import { DistributionSum } from "./distribution-sum.ts";
import { hashOfLabel, selectEndpoints } from "./endpoint-selection.ts";
import { rankingBy } from "./endpoint-ranking.ts";
import { figuresOf } from "./figures.ts";
import { EndpointValues, firstByValue } from "./first-endpoints.ts";
import { labelledParts, selectNumbers, wholeNumbers } from "./many-selected.ts";
import { openSnapshot, type Snapshots } from "./open-snapshot.ts";
import { viewOf } from "./series-span.ts";
import type { EndpointFigures, RowsWish, SummaryHead, SummaryQuery } from "./summarise.ts";
import { TimeSlice } from "./time-slice.ts";
import { contentsOf, wholeOf } from "./whole.ts";

/** A summary whose rows are about to be read. */
export interface OpenedSummary {
  /** See `Snapshot.revision`. */
  readonly revision: string;
  readonly head: SummaryHead;
  /** The rows in their order, in parts: however many they are, few are held. To be called at most once. */
  endpoints(): AsyncIterable<readonly EndpointFigures[]>;
  /** Lets go of the snapshot. To be called once, always. */
  release(): void;
}

type Points = SumColumns & DistributionColumns;
type Rows = Pick<OpenedSummary, "head" | "endpoints">;

/** Opens a summary. Throws `unknown-load-test`, `sum-too-large`, `damaged-store`. */
export async function openSummary(points: Snapshots, query: SummaryQuery): Promise<OpenedSummary> {
  const snapshot = await openSnapshot(points, query.loadTestId);
  try {
    const many = await snapshot.many?.();
    const range = query.range === undefined ? ALL_SECONDS : withoutSecondZero(query.range);
    const scope = { snapshot, range, query, slice: new TimeSlice() };
    const rows = await (many === undefined ? rowsOfFew(scope) : rowsOfMany(scope, many));
    return { revision: snapshot.revision, ...rows, release: () => snapshot.release() };
  } catch (error) {
    snapshot.release();
    throw error;
  }
}

interface Scope {
  readonly snapshot: Snapshot;
  readonly range: SecondRange;
  readonly query: SummaryQuery;
  readonly slice: TimeSlice;
}

async function rowsOfFew(scope: Scope): Promise<Rows> {
  const { snapshot, query, slice } = scope;
  const { selection, apdexMicros } = query;
  const endpoints = await selectEndpoints(await snapshot.endpoints(), selection, slice);
  const whole = new Set(wholeOf(endpoints, selection).map(({ label }) => label));
  const overall = new DistributionSum();
  const all = await readFigures(scope, endpoints, (label, points) => {
    if (whole.has(label)) overall.add(points);
  });
  const head = {
    overall: figuresOf(overall, apdexMicros),
    ...contentsOf(all, ({ label }) => whole.has(label)),
  };
  if (query.rows === undefined) return { head, endpoints: () => inOnePart(all) };
  const { search = "", limit } = query.rows;
  const matching = all.filter(({ label }) => label.includes(search));
  const rows = sortedRows(matching, query.rows).slice(0, limit);
  return {
    head: { ...head, endpointCount: all.length, matchingCount: matching.length },
    endpoints: () => inOnePart(rows),
  };
}

/** Of very many endpoints all are read once for the whole, and then again those that are rows. */
async function rowsOfMany(scope: Scope, many: ManyEndpoints): Promise<Rows> {
  const { query, slice, range } = scope;
  const { sort = "label" } = query.rows ?? {};
  const numbers = await selectNumbers(many, query.selection);
  const whole = wholeNumbers(many, numbers, query.selection);
  const isInWhole = whole.length === numbers.length ? undefined : new NumberSet(whole);
  const valueOf = sort === "label" ? () => 0 : rankingBy(sort);
  const overall = new DistributionSum();
  const found = new EndpointValues(many);
  for await (const points of many.scan(numbers, range, "distribution")) {
    found.add(points, valueOf);
    if (isInWhole === undefined) overall.add(points);
    else addThose(points, isInWhole, overall);
    if (slice.isOver()) await slice.next();
  }
  const head = { overall: figuresOf(overall, query.apdexMicros), ...found.contents(isInWhole) };
  const present = numbersWhere(numbers, (number) => !Number.isNaN(found.values[number]));
  if (query.rows === undefined) {
    return { head, endpoints: () => partsOfRows(scope, labelledParts(many, present)) };
  }
  const { search } = query.rows;
  const matching = search === undefined ? present : await matchingOf(many, present, search);
  const counts = { endpointCount: present.length, matchingCount: matching.length };
  const first = await firstOf(many, matching, found.values, query.rows);
  const parts = inOnePart(first);
  return { head: { ...head, ...counts }, endpoints: () => partsOfRows(scope, parts, query.rows) };
}

/** Adds those endpoints of a part that are in a whole. */
function addThose(points: DataPoints, isInWhole: NumberSet, overall: DistributionSum): void {
  const { endpoint } = points;
  for (let from = 0; from < endpoint.length;) {
    const isIn = isInWhole.has(endpoint[from] as number);
    let until = from + 1;
    while (until < endpoint.length && isInWhole.has(endpoint[until] as number) === isIn) until += 1;
    if (isIn) overall.add(viewOf(points, from, until));
    from = until;
  }
}

async function matchingOf(
  many: ManyEndpoints,
  present: Uint32Array,
  search: string,
): Promise<Uint32Array> {
  const found = new NumberSet(await many.containing(search));
  return numbersWhere(present, (number) => found.has(number));
}

/** The endpoints of the rows that are wished for. */
async function firstOf(
  many: ManyEndpoints,
  numbers: Uint32Array,
  values: Float64Array,
  { limit, sort, order }: RowsWish,
): Promise<readonly Endpoint[]> {
  const most = Math.min(limit, numbers.length);
  if (most === 0) return [];
  if (sort === "label") return many.first(numbers, most, order);
  return firstByValue(many, numbers, values, { limit: most, isAscending: order === "ascending" });
}

async function* partsOfRows(
  scope: Scope,
  parts: AsyncIterable<readonly Endpoint[]>,
  wish?: RowsWish,
): AsyncGenerator<readonly EndpointFigures[], void, undefined> {
  for await (const endpoints of parts) {
    const rows = await readFigures(scope, endpoints, () => undefined);
    yield wish === undefined ? rows : sortedRows(rows, wish);
  }
}

function sortedRows(
  rows: readonly EndpointFigures[],
  { sort, order }: RowsWish,
): readonly EndpointFigures[] {
  const direction = order === "ascending" ? 1 : -1;
  return rows.toSorted((left, right) => {
    const byLabel = compareLabels(left.label, right.label);
    if (sort === "label") return direction * byLabel;
    return direction * ((left[sort] ?? 0) - (right[sort] ?? 0)) || byLabel;
  });
}

/** Figures of those endpoints that have requests in the range, in their order. */
async function readFigures(
  { snapshot, range, query, slice }: Scope,
  endpoints: readonly Endpoint[],
  onRead: (label: string, points: Points) => void,
): Promise<readonly EndpointFigures[]> {
  const own = new DistributionSum();
  const rows: EndpointFigures[] = [];
  for await (const { endpoint, columns } of snapshot.read(endpoints, range, "distribution")) {
    if (columns.second.length === 0) continue;
    const { label, role } = endpoint;
    own.clear();
    own.add(columns);
    onRead(label, columns);
    const about = { label, hash: hashOfLabel(label), ...(role === undefined ? {} : { role }) };
    rows.push({ ...about, ...figuresOf(own, query.apdexMicros) });
    if (slice.isOver()) await slice.next();
  }
  return rows;
}

async function* inOnePart<Item>(items: readonly Item[]): AsyncGenerator<readonly Item[]> {
  yield items;
}
