import { setImmediate as nextTurn } from "node:timers/promises";
import { lowerBound, viewRows } from "../../../model/columns.ts";
import type { DataPoints } from "../../../model/data-points.ts";
import {
  hasNoMeasures,
  labelsOfMeasures,
  type MeasureTable,
  NO_MEASURES,
  minuteOf,
} from "../../../model/measures/measure-table.ts";
import { type FailureTable, mergeFailures } from "../../../model/failures.ts";
import { mergeUsers } from "../../../model/active-users.ts";
import { encodeBlock } from "../../block/block.ts";
import { BLOCK_BUCKETS_MAX } from "../../block/block-kernel.ts";
import { encodeFailures, encodeUsers } from "../../block/detail-segments.ts";
import { encodeMeasures } from "../../block/measures-segment.ts";
import { type EndpointRuns, pointsInRuns, sliceRuns } from "../../series.ts";
import type { SourceUsers } from "../../stored-details.ts";
import type { BatchContents } from "../../batch-digest.ts";
import type { EncodedBlock } from "./block-rows.ts";
import { encodeEndpointSet, withRoles } from "../../block/endpoint-set.ts";
import type { NumberedPoints } from "../../numbered-points.ts";
import { viewHistograms } from "../../../model/measures/select-measures.ts";

/** Encoding a block blocks the event loop; this many points take about 10 ms. */
const BLOCK_ROWS_MAX = 16_384;

/** Which endpoints share a block of points: those of one group, or all. */
export type Arrangement = "grouped" | "mixed";

/** Endpoints of the same group are stored together: their numbers are consecutive. */
export const GROUP_SIZE = 16;

export function groupOf(endpoint: number): number {
  return Math.floor(endpoint / GROUP_SIZE);
}

/** Encodes a batch. Yields before each block and after the last one. */
export async function encodeBatch(
  { points, failures, users, roles, measures = NO_MEASURES }: BatchContents,
  { sourceId, arrangement }: { readonly sourceId: string; readonly arrangement: Arrangement },
): Promise<readonly EncodedBlock[]> {
  const blocks: EncodedBlock[] = [];
  function* encodeAll(): Generator<EncodedBlock> {
    yield* encodePoints(points, arrangement);
    yield* encodeFailureBlocks(failures);
    if (users.generators.length > 0) yield* encodeUserBlocks([{ sourceId, users }]);
    yield* encodeMeasureBlocks(measures);
  }
  const encoded = encodeAll();
  for (;;) {
    await nextTurn();
    const { done, value } = encoded.next();
    if (done === true) return blocks;
    blocks.push(withRoles(value, roles));
  }
}

/** Encodes points, without their roles. */
export function* encodePoints(
  { columns, runs }: NumberedPoints,
  arrangement: Arrangement,
): Generator<EncodedBlock> {
  for (const own of cutRuns(columns, runs, arrangement)) {
    const group = arrangement === "grouped" ? groupOf(own.endpoint[0] as number) : null;
    const segments = encodeBlock(columns, own);
    yield { kind: "points", endpoint_group: group, ...describeRuns(columns, own), segments };
  }
}

/** Returns the groups of each block, in order; a group that does not fit continues in the next block. */
function* cutRuns(
  { bucketsFrom }: DataPoints,
  runs: EndpointRuns,
  arrangement: Arrangement,
): Generator<EndpointRuns> {
  const { endpoint, from, until } = runs;
  const fits = (run: number, first: number): boolean =>
    run < endpoint.length &&
    (arrangement === "mixed" ||
      groupOf(endpoint[run] as number) === groupOf(endpoint[first] as number));
  let [run, at] = [0, from[0] as number];
  while (run < endpoint.length) {
    const [first, firstPoint] = [run, at];
    let [room, buckets] = [BLOCK_ROWS_MAX, BLOCK_BUCKETS_MAX];
    while (room > 0 && fits(run, first)) {
      const used = bucketsFrom[at] as number;
      const fitting = lowerBound(bucketsFrom, used + buckets + 1) - 1;
      const end = Math.min(until[run] as number, at + room, fitting);
      room -= end - at;
      buckets -= (bucketsFrom[end] as number) - used;
      at = end;
      if (end < (until[run] as number)) break;
      at = from[++run] as number;
    }
    const isCut = run < endpoint.length && at !== from[run];
    const own = sliceRuns(runs, first, isCut ? run + 1 : run);
    const bounds = { from: own.from.slice(), until: own.until.slice() };
    bounds.from[0] = firstPoint;
    if (isCut) bounds.until[run - first] = at;
    yield { ...own, ...bounds };
  }
}

function describeRuns({ second }: DataPoints, runs: EndpointRuns) {
  let [first, last] = [Infinity, 0];
  for (let run = 0; run < runs.endpoint.length; run++) {
    first = Math.min(first, second[runs.from[run] as number] as number);
    last = Math.max(last, second[(runs.until[run] as number) - 1] as number);
  }
  return {
    endpoints: encodeEndpointSet(runs.endpoint),
    roles: null,
    points: pointsInRuns(runs),
    first_second: first,
    last_second: last,
  };
}

/** Encodes failures as `mergeFailures` returns them. */
export function* encodeFailureBlocks({ kinds, counts }: FailureTable): Generator<EncodedBlock> {
  for (let from = 0; from < counts.second.length; from += BLOCK_ROWS_MAX) {
    const part = viewRows(counts, from, from + BLOCK_ROWS_MAX);
    // Merging drops kinds that are stored in other blocks.
    const segments = { plain: encodeFailures(mergeFailures([{ kinds, counts: part }])) };
    yield { kind: "failures", endpoint_group: null, ...describe(part), segments };
  }
}

/** Encodes users as `mergeUsers` returns them, each source once. */
export function* encodeUserBlocks(sources: readonly SourceUsers[]): Generator<EncodedBlock> {
  let gathered: SourceUsers[] = [];
  let rows = 0;
  for (const part of sources.flatMap((source) => [...cutUsers(source)])) {
    const more = part.users.counts.second.length;
    if (rows + more > BLOCK_ROWS_MAX) {
      yield encodeUserBlock(gathered);
      [gathered, rows] = [[], 0];
    }
    gathered.push(part);
    rows += more;
  }
  if (rows > 0) yield encodeUserBlock(gathered);
}

function* cutUsers({ sourceId, users: { generators, counts } }: SourceUsers) {
  for (let from = 0; from < counts.second.length; from += BLOCK_ROWS_MAX) {
    const part = viewRows(counts, from, from + BLOCK_ROWS_MAX);
    yield { sourceId, users: mergeUsers([{ generators, counts: part }]) };
  }
}

function encodeUserBlock(sources: readonly SourceUsers[]): EncodedBlock {
  const seconds = sources.map(({ users }) => users.counts.second);
  const second = Uint32Array.from(seconds.flatMap((each) => [...each]));
  const about = describe({ endpoint: new Uint32Array(0), second });
  const segments = { plain: encodeUsers(sources) };
  return { kind: "users", endpoint_group: null, ...about, segments };
}

/** Encodes measures as `mergeMeasures` returns them. */
export function* encodeMeasureBlocks(
  measures: MeasureTable,
  rowsMax = BLOCK_ROWS_MAX,
): Generator<EncodedBlock> {
  if (hasNoMeasures(measures)) return;
  for (const part of cutMeasures(measures, rowsMax)) {
    if (part.histograms.bucket.length > BLOCK_BUCKETS_MAX) {
      yield* encodeMeasureBlocks(part, rowsMax / 2);
      continue;
    }
    const { second } = part.sums;
    const about = describe({ endpoint: labelsOfMeasures(part), second });
    const segments = { plain: encodeMeasures(part) };
    yield { kind: "measures", endpoint_group: null, ...about, segments };
  }
}

function describe({ endpoint, second }: Pick<DataPoints, "endpoint" | "second">) {
  const [first, last] = extremesOf(second);
  return {
    endpoints: encodeEndpointSet(endpoint),
    roles: null,
    points: second.length,
    first_second: first,
    last_second: last,
  };
}

function extremesOf(second: Uint32Array): [least: number, greatest: number] {
  if (second.length === 0) return [0, 0];
  let least = Infinity;
  let greatest = 0;
  for (let point = 0; point < second.length; point++) {
    const value = second[point] as number;
    if (value < least) least = value;
    if (value > greatest) greatest = value;
  }
  return [least, greatest];
}

/**
 * Cuts a table returned by `mergeMeasures` into tables of at most `rowsMax` rows and a minute, in order; the first one has what was
 * not stored. A minute is never cut, as it has one histogram. The columns are views.
 */
export function* cutMeasures(table: MeasureTable, rowsMax: number): Generator<MeasureTable> {
  const rows = table.sums.series.length;
  let { unstored } = table;
  let from = 0;
  do {
    let until = Math.min(rows, from + rowsMax);
    while (until < rows && isSameMinute(table, until)) until += 1;
    yield { ...cut(table, from, until), unstored };
    ({ unstored } = NO_MEASURES);
    from = until;
  } while (from < rows);
}

function isSameMinute({ sums: { series, second } }: MeasureTable, row: number): boolean {
  return (
    series[row] === series[row - 1] &&
    minuteOf(second[row] as number) === minuteOf(second[row - 1] as number)
  );
}

function cut(table: MeasureTable, from: number, until: number): MeasureTable {
  const { series, sums, gauges, histograms } = table;
  if (from === 0 && until === sums.series.length) return table;
  const first = sums.series[from] as number;
  const last = sums.series[until - 1] as number;
  const rangeOf = (own: Uint32Array, times: Uint32Array, isMinute: boolean) => {
    const placeOf = (row: number) => lowerBoundOf(own, times, keyAt(table, row, isMinute));
    return [placeOf(from), placeOf(until)] as const;
  };
  const renumbered = <Columns extends { readonly series: Uint32Array }>(columns: Columns) => ({
    ...columns,
    series: columns.series.map((number) => number - first),
  });
  const gaugeRange = rangeOf(gauges.series, gauges.second, false);
  const histogramRange = rangeOf(histograms.series, histograms.minute, true);
  return {
    ...table,
    series: series.slice(first, last + 1),
    sums: renumbered(viewRows(sums, from, until)),
    gauges: renumbered(viewRows(gauges, ...gaugeRange)),
    histograms: renumbered(viewHistograms(histograms, ...histogramRange)),
  };
}

interface Key {
  readonly series: number;
  readonly time: number;
}

/** Series and second of a row of the sums, or its minute; behind all others for the end. */
function keyAt({ sums }: MeasureTable, row: number, isMinute: boolean): Key {
  const second = sums.second[row] ?? 0;
  return { series: sums.series[row] ?? Infinity, time: isMinute ? minuteOf(second) : second };
}

function lowerBoundOf(series: Uint32Array, times: Uint32Array, key: Key): number {
  let [low, high] = [0, series.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const difference = (series[middle] as number) - key.series;
    if (difference < 0 || (difference === 0 && (times[middle] as number) < key.time)) {
      low = middle + 1;
    } else high = middle;
  }
  return low;
}
