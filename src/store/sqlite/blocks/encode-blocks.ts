import { setImmediate as nextTurn } from "node:timers/promises";
import { lowerBound, viewRows } from "../../../model/columns.ts";
import type { DataPoints } from "../../../model/data-points.ts";
import {
  hasNoMeasures,
  labelsOfMeasures,
  type MeasureTable,
  NO_MEASURES,
} from "../../../model/measures/measure-table.ts";
import { type FailureTable, mergeFailures } from "../../../model/failures.ts";
import { mergeUsers } from "../../../model/active-users.ts";
import { encodeBlock } from "../../block/block.ts";
import { BLOCK_BUCKETS_MAX } from "../../block/block-kernel.ts";
import { encodeFailures } from "../../block/failures-segment.ts";
import { encodeMeasures } from "../../block/measures-segment.ts";
import { encodeUsers } from "../../block/users-segment.ts";
import { type EndpointRuns, pointsInRuns, sliceRuns } from "../../endpoint-runs.ts";
import type { SourceUsers } from "../../stored-details.ts";
import type { BatchContents } from "../../batch-digest.ts";
import { cutMeasures } from "./cut-measures.ts";
import type { EncodedBlock } from "./block-rows.ts";
import { encodeEndpointSet, withRoles } from "../../block/endpoint-set.ts";
import type { NumberedPoints } from "../../numbered-points.ts";

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
