import type { DataPoints, DistributionColumns, SumColumns } from "../model/data-points.ts";
import { compareLabels } from "../model/label.ts";
import type { Endpoint } from "../model/load-test.ts";
import { NumberSet, numbersWhere } from "../model/number-set.ts";
import type { DerivedRole } from "../model/role.ts";
import { ALL_SECONDS, type SecondRange, withoutSecondZero } from "../model/second-range.ts";
import { DistributionSum } from "../series/distribution-sum.ts";
import { UNKNOWN, rankingBy } from "./endpoint-ranking.ts";
import {
  type EndpointSelection,
  hashOfLabel,
  selectEndpoints,
} from "../series/endpoint-selection.ts";
import { type Figures, figuresOf } from "./figures.ts";
import { EndpointValues, firstByValue } from "../series/first-endpoints.ts";
import { labelledParts, selectNumbers, wholeNumbers } from "../series/many-selected.ts";
import { type Snapshots, openSnapshot } from "../series/open-snapshot.ts";
import { viewOf } from "../series/series-span.ts";
import type { SortColumn } from "./sort-columns.ts";
import {
  type QualityRemark,
  type SourceFacts,
  readSourceFacts,
  reportedOf,
  reportedRun,
  withMeasured,
} from "./source-facts.ts";
import { TimeSlice } from "../series/time-slice.ts";
import { type WholeContents, contentsOf, wholeOf } from "../series/whole.ts";
import type { ManyEndpoints, Snapshot } from "../store/snapshot.ts";

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
    const facts = await readSourceFacts(snapshot);
    const scope = { snapshot, range, query, facts, slice: new TimeSlice() };
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
  readonly facts: SourceFacts;
  readonly slice: TimeSlice;
}

/** Figures of one endpoint by its number, or of all that is selected. */
function figuresIn(
  { query: { apdexMicros, range }, facts }: Scope,
  sum: DistributionSum,
  endpoint: number | "all" | undefined,
): Figures {
  const { hasSizes } = facts;
  // What a tool reports is of the whole run.
  const isWhole = range === undefined && endpoint !== undefined;
  const reported = isWhole ? reportedRun(facts, endpoint) : undefined;
  return figuresOf(sum, { apdexMicros, hasSizes, reported });
}

async function rowsOfFew(scope: Scope): Promise<Rows> {
  const { snapshot, query, slice } = scope;
  const { selection } = query;
  const endpoints = await selectEndpoints(await snapshot.endpoints(), selection, slice);
  const wholeEndpoints = wholeOf(endpoints, selection);
  const whole = new Set(wholeEndpoints.map(({ label }) => label));
  const overall = new DistributionSum();
  const all = await readFigures(scope, endpoints, (label, points) => {
    if (whole.has(label)) overall.add(points);
  });
  const figures = figuresIn(scope, overall, reportedOf(scope.facts, selection, wholeEndpoints));
  const head = {
    overall: figures,
    quality: withMeasured(scope.facts.remarks, figures),
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
  const figures = figuresIn(scope, overall, undefined);
  const quality = withMeasured(scope.facts.remarks, figures);
  const head = { overall: figures, quality, ...found.contents(isInWhole) };
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

/** The endpoints of the rows that are requested. */
async function firstOf(
  many: ManyEndpoints,
  numbers: Uint32Array,
  values: Float64Array,
  { limit, sort, order }: RowsRequest,
): Promise<readonly Endpoint[]> {
  const most = Math.min(limit, numbers.length);
  if (most === 0) return [];
  if (sort === "label") return many.first(numbers, most, order);
  return firstByValue(many, numbers, values, { limit: most, isAscending: order === "ascending" });
}

async function* partsOfRows(
  scope: Scope,
  parts: AsyncIterable<readonly Endpoint[]>,
  request?: RowsRequest,
): AsyncGenerator<readonly EndpointFigures[], void, undefined> {
  for await (const endpoints of parts) {
    const rows = await readFigures(scope, endpoints, () => undefined);
    yield request === undefined ? rows : sortedRows(rows, request);
  }
}

function sortedRows(
  rows: readonly EndpointFigures[],
  { sort, order }: RowsRequest,
): readonly EndpointFigures[] {
  const direction = order === "ascending" ? 1 : -1;
  return rows.toSorted((left, right) => {
    const byLabel = compareLabels(left.label, right.label);
    if (sort === "label") return direction * byLabel;
    return direction * ((left[sort] ?? UNKNOWN) - (right[sort] ?? UNKNOWN)) || byLabel;
  });
}

/** Figures of those endpoints that have requests in the range, in their order. */
async function readFigures(
  scope: Scope,
  endpoints: readonly Endpoint[],
  onRead: (label: string, points: Points) => void,
): Promise<readonly EndpointFigures[]> {
  const { snapshot, range, slice } = scope;
  const own = new DistributionSum();
  const rows: EndpointFigures[] = [];
  for await (const { endpoint, columns } of snapshot.read(endpoints, range, "distribution")) {
    if (columns.second.length === 0) continue;
    const { label, role } = endpoint;
    own.clear();
    own.add(columns);
    onRead(label, columns);
    const about = { label, hash: hashOfLabel(label), ...(role === undefined ? {} : { role }) };
    rows.push({ ...about, ...figuresIn(scope, own, endpoint.number) });
    if (slice.isOver()) await slice.next();
  }
  return rows;
}

async function* inOnePart<Item>(items: readonly Item[]): AsyncGenerator<readonly Item[]> {
  yield items;
}

export interface SummaryQuery {
  readonly loadTestId: string;
  readonly selection: EndpointSelection;
  /** `undefined`: everything, requests without a known instant included. */
  readonly range: SecondRange | undefined;
  /** Response time that satisfies, for the Apdex; `undefined`: none is computed. */
  readonly apdexMicros: number | undefined;
  /** @default all endpoints, by label */
  readonly rows?: RowsRequest | undefined;
}

/** Which endpoints are listed. The whole stays what it is. */
export interface RowsRequest {
  /** At most so many, 1 or more. */
  readonly limit: number;
  /** Only those whose label contains this, letter case included. @default all */
  readonly search?: string | undefined;
  /** Equal ones are by label, ascending. */
  readonly sort: SortColumn;
  readonly order: "ascending" | "descending";
}

/** What is said of everything that is selected. */
interface SummaryHead extends WholeContents {
  /** All that is selected as one (`whole.ts`). */
  readonly overall: Figures;
  /** What the figures cannot tell. */
  readonly quality: readonly QualityRemark[];
  /** How many endpoints have requests in the range; where rows were requested. */
  readonly endpointCount?: number | undefined;
  /** How many of them the search finds; where rows were requested. */
  readonly matchingCount?: number | undefined;
}

export interface Summary extends SummaryHead {
  /** See `Snapshot.revision`. */
  readonly revision: string;
  /** By label, or as requested. Endpoints without a request in the range are not among them. */
  readonly endpoints: readonly EndpointFigures[];
}

interface EndpointFigures extends Figures {
  readonly label: string;
  /** SHA-1 of the label, 40 hex digits. */
  readonly hash: string;
  /** Absent where its rows are requests. */
  readonly role?: DerivedRole | undefined;
}

/** Summarises what is selected. Throws `unknown-load-test`, `sum-too-large`, `damaged-store`. */
export async function summarise(points: Snapshots, query: SummaryQuery): Promise<Summary> {
  const opened = await openSummary(points, query);
  try {
    const endpoints: EndpointFigures[] = [];
    for await (const part of opened.endpoints()) endpoints.push(...part);
    return { revision: opened.revision, ...opened.head, endpoints };
  } finally {
    opened.release();
  }
}
