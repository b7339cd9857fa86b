import { ALL_SECONDS, type SecondRange, viewSeries, withoutSecondZero } from "../model/columns.ts";
import type { Outcome } from "../model/outcomes.ts";
import type {
  EndpointFigures,
  Figures,
  ParentFigures,
  SummaryFigures,
  Check,
} from "../api/summary.ts";
import type { DataPoints } from "../model/data-points.ts";
import { compareLabels } from "../model/label.ts";
import type { Endpoint } from "../model/load-test.ts";
import { NumberSet, numbersWhere } from "../model/row-groups.ts";
import { DistributionSum } from "../series/distribution-sum.ts";
import { type Ranking, figureOf, rankingBy } from "./endpoint-ranking.ts";
import {
  type EndpointSelection,
  type SelectedPart,
  hashOfLabel,
} from "../series/endpoint-selection.ts";
import { ALL_SERIES, matchesFacets } from "../series/series-groups.ts";
import { figuresOf } from "./figures.ts";
import { EndpointValues, firstByValue } from "../series/first-endpoints.ts";
import { selectNumbers, overallNumbers } from "../series/selected-series.ts";
import { ParentSums } from "../series/parent-sums.ts";
import { openSnapshot, type Snapshots } from "../series/open-snapshot.ts";
import type { SortColumn } from "./sort-columns.ts";
import {
  type SourceFacts,
  readSourceFacts,
  reportedOf,
  reportedRun,
  withMeasured,
} from "./source-facts.ts";
import { paced } from "../concurrency/yielder.ts";
import type { EndpointIndex, Snapshot } from "../store/snapshot.ts";
import type { MeasureTags } from "../model/measures/measure-table.ts";
import { totalOf } from "./measure-figures.ts";

/** A summary whose rows can be streamed. */
export interface OpenedSummary {
  /** See `Snapshot.revision`. */
  readonly revision: string;
  readonly head: SummaryHead;
  /** Yields the rows in order, in chunks. Call at most once. */
  endpoints(): AsyncIterable<readonly EndpointFigures[]>;
  /** Releases the snapshot. Must be called once. */
  release(): void;
}

type Rows = Pick<OpenedSummary, "head" | "endpoints">;

/** Opens a summary. Throws `unknown-load-test`, `sum-too-large`, `damaged-store`. */
export async function openSummary(points: Snapshots, query: SummaryQuery): Promise<OpenedSummary> {
  const snapshot = await openSnapshot(points, query.loadTestId, query);
  try {
    if (detailFor(query) === "totals") snapshot.expectTotals?.();
    const range = query.range === undefined ? ALL_SECONDS : withoutSecondZero(query.range);
    const facts = await readSourceFacts(snapshot, range);
    const scope = { snapshot, range, query, facts };
    const { head, endpoints } = await openRows(scope, await snapshot.index());
    const checks =
      query.hasChecks === true ? await readChecks(snapshot, range, query.selection) : [];
    return {
      revision: snapshot.revision,
      head: { ...head, ...(checks.length > 0 && { checks }) },
      endpoints,
      release: () => snapshot.release(),
    };
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
  readonly parents: ParentSums | undefined;
}

/** Statistics of one endpoint by number, or overall. */
function figuresIn(
  { query: { apdexMicros, percents, range }, facts }: Scope,
  sum: DistributionSum,
  endpoint: number | "all" | undefined,
): Figures {
  const { hasSizes, extent } = facts;
  // Reported percentiles apply to the complete run only.
  const isWhole = range === undefined && endpoint !== undefined;
  const reported = isWhole ? reportedRun(facts, endpoint) : undefined;
  return figuresOf(sum, { apdexMicros, percents, hasSizes, extent, reported });
}

/** Reads everything once for the overall statistics; rows that were not kept are read again. */
async function openRows(given: Omit<Scope, "parents">, index: EndpointIndex): Promise<Rows> {
  const { query, facts, range } = given;
  const { sort = "label", search } = query.rows ?? {};
  const numbers = await selectNumbers(index, query.selection);
  const parents = await parentsOf(query, index, numbers);
  const scope = { ...given, parents };
  const merged = overallNumbers(index, numbers, query.selection);
  const isInOverall = merged.length === numbers.length ? undefined : new NumberSet(merged);
  const held = index.isLarge ? undefined : new Map<number, Figures>();
  const overall = newSum(query);
  const valueOf =
    held === undefined
      ? rankingOf(sort)
      : holding(held, scope, sort, (number, sum) => {
          const isCounted = isInOverall?.has(number) ?? true;
          if (isCounted) overall.merge(sum);
          parents?.take(number, sum, isCounted);
        });
  const found = new EndpointValues(index);
  const scan = index.scan(numbers, range, detailFor(query));
  for await (const points of paced(query.percents === undefined ? scan : inPieces(scan))) {
    found.add(points, valueOf);
    if (held !== undefined) continue;
    if (isInOverall === undefined) overall.add(points);
    else addThose(points, isInOverall, overall);
  }
  const figures = figuresIn(scope, overall, reportedOf(facts, query.selection, merged));
  const quality = withMeasured(facts.remarks, figures);
  const head = {
    overall: figures,
    quality,
    unread: facts.unread,
    ...found.contents(isInOverall),
    ...parentRows(scope),
  };
  const isListed = (number: number): boolean =>
    !Number.isNaN(found.values[number]) && parents?.isParent(number) !== true;
  const present = numbersWhere(numbers, isListed);
  if (query.rows === undefined) {
    return { head, endpoints: () => rowsOf(scope, index.byLabel(present), held) };
  }
  const matching = search === undefined ? present : await matchingOf(index, present, search);
  const counts = { endpointCount: present.length, matchingCount: matching.length };
  const first = inOneChunk(await firstOf(index, matching, found.values, query.rows));
  return { head: { ...head, ...counts }, endpoints: () => rowsOf(scope, first, held) };
}

async function parentsOf(
  query: SummaryQuery,
  index: EndpointIndex,
  numbers: Uint32Array,
): Promise<ParentSums | undefined> {
  if (query.hasParents !== true) return undefined;
  return ParentSums.of(index, numbers, () => newSum(query));
}

function parentRows(scope: Scope): Pick<SummaryHead, "parents"> {
  const { parents, query } = scope;
  if (parents === undefined) return {};
  const rows = parents.all().map(({ label, role, sum }) => {
    const about = role === undefined ? { label } : { label, role };
    return { ...about, ...figuresIn(scope, sum, undefined) };
  });
  const { sort = "label", order = "ascending" } = query.rows ?? {};
  return { parents: sortedRows(rows, { sort, order }) };
}

/** An Apdex needs the times of passed requests. */
function newSum({ apdexMicros }: SummaryQuery): DistributionSum {
  return new DistributionSum({ withPassed: apdexMicros !== undefined });
}

function detailFor({ apdexMicros }: SummaryQuery): "totals" | "outcomes" {
  return apdexMicros === undefined ? "totals" : "outcomes";
}

function rankingOf(sort: SortColumn): Ranking {
  return sort === "label" ? () => 0 : rankingBy(sort);
}

/** Stores the statistics of each endpoint in `held`, and passes its sum on; the value is the sort key. */
function holding(
  held: Map<number, Figures>,
  scope: Scope,
  sort: SortColumn,
  onSum: (endpoint: number, sum: DistributionSum) => void,
): Ranking {
  const own = newSum(scope.query);
  return (points, from, until) => {
    const number = points.endpoint[from] as number;
    own.clear();
    const isAll = from === 0 && until === points.endpoint.length;
    own.add(isAll ? points : viewSeries(points, from, until));
    onSum(number, own);
    const figures = figuresIn(scope, own, number);
    held.set(number, figures);
    return sort === "label" ? 0 : figureOf(figures, sort);
  };
}

/** Endpoints whose percentiles are computed in one step: some ms with a hundred percentiles. */
const ENDPOINTS_AT_ONCE = 128;

/** Cuts chunks between endpoints. */
async function* inPieces(chunks: AsyncIterable<DataPoints>): AsyncGenerator<DataPoints> {
  for await (const points of chunks) {
    const { endpoint } = points;
    let [from, count] = [0, 0];
    for (let at = 1; at <= endpoint.length; at++) {
      if (at < endpoint.length && endpoint[at] === endpoint[at - 1]) continue;
      count += 1;
      if (count < ENDPOINTS_AT_ONCE && at < endpoint.length) continue;
      yield { ...viewSeries(points, from, at), endpoint: endpoint.subarray(from, at) };
      [from, count] = [at, 0];
    }
  }
}

/** Adds the endpoints of a chunk that are in `isInOverall`. */
function addThose(points: DataPoints, isInOverall: NumberSet, overall: DistributionSum): void {
  const { endpoint } = points;
  for (let from = 0; from < endpoint.length;) {
    const isIn = isInOverall.has(endpoint[from] as number);
    let until = from + 1;
    while (until < endpoint.length && isInOverall.has(endpoint[until] as number) === isIn)
      until += 1;
    if (isIn) overall.add(viewSeries(points, from, until));
    from = until;
  }
}

async function matchingOf(
  index: EndpointIndex,
  present: Uint32Array,
  search: string,
): Promise<Uint32Array> {
  const found = new NumberSet(await index.containing(search));
  return numbersWhere(present, (number) => found.has(number));
}

/** Returns the endpoints of the requested rows. */
async function firstOf(
  index: EndpointIndex,
  numbers: Uint32Array,
  values: Float64Array,
  { limit, sort, order }: RowsRequest,
): Promise<readonly Endpoint[]> {
  const most = Math.min(limit, numbers.length);
  if (most === 0) return [];
  if (sort === "label") return index.first(numbers, most, order);
  return firstByValue(index, numbers, values, { limit: most, isAscending: order === "ascending" });
}

async function* rowsOf(
  scope: Scope,
  chunks: AsyncIterable<readonly Endpoint[]>,
  held: ReadonlyMap<number, Figures> | undefined,
): AsyncGenerator<readonly EndpointFigures[], void, undefined> {
  const { rows: request } = scope.query;
  for await (const endpoints of chunks) {
    const rows = await (held === undefined
      ? readRows(scope, endpoints)
      : heldRows(scope, endpoints, held));
    yield request === undefined ? rows : sortedRows(rows, request);
  }
}

async function heldRows(
  scope: Scope,
  endpoints: readonly Endpoint[],
  held: ReadonlyMap<number, Figures>,
): Promise<readonly EndpointFigures[]> {
  const rows: EndpointFigures[] = [];
  for await (const endpoint of paced(endpoints)) {
    rows.push(rowOf(scope, endpoint, held.get(endpoint.number) as Figures));
  }
  return rows;
}

/** Returns the rows of endpoints with requests in the range, in order. */
async function readRows(
  scope: Scope,
  endpoints: readonly Endpoint[],
): Promise<readonly EndpointFigures[]> {
  const { snapshot, range, query } = scope;
  const own = newSum(query);
  const rows: EndpointFigures[] = [];
  const read =
    detailFor(query) === "outcomes"
      ? snapshot.read(endpoints, range, "outcomes")
      : snapshot.read(endpoints, range, "distribution");
  for await (const { endpoint, columns } of paced(read)) {
    own.clear();
    own.add(columns);
    rows.push(rowOf(scope, endpoint, figuresIn(scope, own, endpoint.number)));
  }
  return rows;
}

function rowOf(
  { parents }: Scope,
  { number, label, role }: Endpoint,
  figures: Figures,
): EndpointFigures {
  const parent = parents?.parentOf(number);
  const about = { label, hash: hashOfLabel(label), ...(role === undefined ? {} : { role }) };
  return { ...about, ...(parent === undefined ? {} : { parent }), ...figures };
}

function sortedRows<Row extends ParentFigures>(
  rows: readonly Row[],
  { sort, order }: Pick<RowsRequest, "sort" | "order">,
): readonly Row[] {
  const direction = order === "ascending" ? 1 : -1;
  return rows.toSorted((left, right) => {
    const byLabel = compareLabels(left.label, right.label);
    if (sort === "label") return direction * byLabel;
    return direction * (figureOf(left, sort) - figureOf(right, sort)) || byLabel;
  });
}

async function* inOneChunk<Item>(items: readonly Item[]): AsyncGenerator<readonly Item[]> {
  yield items;
}

export interface SummaryQuery extends SelectedPart {
  /** Apdex threshold T; `undefined`: no Apdex. */
  readonly apdexMicros: number | undefined;
  /** Additional percentiles, each 0 to 100. @default none */
  readonly percents?: readonly number[] | undefined;
  /** @default all endpoints, by label */
  readonly rows?: RowsRequest | undefined;
  /** Whether to read checks. @default false */
  readonly hasChecks?: boolean;
  /** Whether to add parents; the selection is then split by one facet. @default false */
  readonly hasParents?: boolean | undefined;
  /** Which requests count. @default all */
  readonly outcome?: Outcome | undefined;
}

/** Which endpoints are listed. Does not affect the overall statistics. */
export interface RowsRequest {
  /** Maximum number, at least 1. */
  readonly limit: number;
  /** Only those whose label contains this text, case-sensitive. @default all */
  readonly search?: string | undefined;
  /** Ties are sorted by label, ascending. */
  readonly sort: SortColumn;
  readonly order: "ascending" | "descending";
}

type SummaryHead = Omit<SummaryFigures, "endpoints">;

/** With the state that it describes: see `Snapshot.revision`. */
export type Summary = SummaryFigures & { readonly revision: string };

/** Summarises the selection. Throws `unknown-load-test`, `sum-too-large`, `damaged-store`. */
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

/** The measure of k6 that has a value per check, 1 or 0, and its tags. */
const MEASURE = "checks";

/**
 * Reads the checks of a load test in a range whose tags meet the conditions on facets: one per name and group, whatever their other tags. The lowest
 * share of passed ones comes first. Throws `damaged-store`, `sum-too-large`.
 */
async function readChecks(
  snapshot: Pick<Snapshot, "measureIndex" | "measures">,
  range: SecondRange,
  { facets }: EndpointSelection,
): Promise<readonly Check[]> {
  const { where } = facets ?? ALL_SERIES;
  const { series } = await snapshot.measureIndex();
  const own = series.filter(
    ({ name, kind, tags }) =>
      name === MEASURE &&
      kind === "rate" &&
      tagValueOf(tags, "check") !== "" &&
      matchesFacets(tags, where),
  );
  const checks = new Map<string, Omit<Check, "rate">>();
  for await (const {
    series: [of],
    sums,
  } of snapshot.measures(own, range)) {
    if (of === undefined || sums.count.length === 0) continue;
    const { count, sum } = totalOf(sums, 0, sums.count.length);
    const [name, group] = [tagValueOf(of.tags, "check"), groupOf(of.tags)];
    const key = JSON.stringify([group, name]);
    const { passed = 0, failed = 0 } = checks.get(key) ?? {};
    checks.set(key, { name, group, passed: passed + sum, failed: failed + count - sum });
  }
  return [...checks]
    .map(([key, check]) => ({ key, ...check, rate: check.passed / (check.passed + check.failed) }))
    .toSorted((one, other) => one.rate - other.rate || (one.key < other.key ? -1 : 1))
    .map(({ key: _key, ...check }) => check);
}

function tagValueOf(tags: MeasureTags, name: string): string {
  return tags.find(([tag]) => tag === name)?.[1] ?? "";
}

/** k6 begins the path of each group with its separator. */
function groupOf(tags: MeasureTags): string {
  return tagValueOf(tags, "group").replace(/^::/, "");
}
