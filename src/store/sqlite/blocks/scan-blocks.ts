/** Reads the points of very many endpoints block by block, opening each block once. */

import type { Endpoint, LoadTest } from "../../../model/load-test.ts";
import { mergePoints, mergePointSums } from "../../../model/merge-points.ts";
import { NumberSet } from "../../../model/row-groups.ts";
import { type SecondRange, pickPoints, pickSums } from "../../../model/columns.ts";
import { openBlock, type OpenedBlock, openSums } from "../../block/block.ts";
import type { BlockRow } from "./block-rows.ts";
import {
  attemptBlock,
  type BlockFile,
  type BlockLoading,
  ROWS_AHEAD,
  withBlocks,
} from "./attempt-block.ts";
import { GROUP_SIZE, groupOf } from "./encode-blocks.ts";
import { boundsOf, numbersIn } from "../../block/endpoint-set.ts";
import { readSegment } from "./segment-cache.ts";
import type { DataPoints } from "../../../model/data-points.ts";
import { Totals, withoutSeconds } from "../../totals.ts";
import { Yielder } from "../../../concurrency/yielder.ts";
import type { PointDetail, PointSums, ScannedDetail } from "../../snapshot.ts";

/** Points per step: a few milliseconds of work. */
const STEP_POINTS = 4096;
/** Endpoints of a group with more points are read one by one. */
const GROUP_POINTS_MAX = 32_768;

/** Parts of blocks that wait to be merged. */
const PARTS_MAX = 4096;

/** Points added up at once: some milliseconds. */
const ADDED_POINTS = 8192;

/** Blocks whose endpoints are checked in one step. */
const SPANS_AT_ONCE = 1024;

export interface Scanned {
  readonly file: BlockFile;
  readonly loading?: BlockLoading | undefined;
  readonly loadTest: LoadTest;
  readonly rows: readonly BlockRow[];
  /** Returns whether an endpoint is selected; `undefined`: all are. */
  readonly isWanted: ((endpoint: number) => boolean) | undefined;
  readonly range: SecondRange;
}

/** Takes only parts of blocks that it has opened itself. */
interface Kind {
  open(file: BlockFile, row: BlockRow): OpenedBlock<PointSums>;
  pick(part: PointSums, points: Uint32Array): PointSums;
  merge(parts: readonly PointSums[]): PointSums;
}

const POINTS: Kind = {
  open: ({ reading: { blocks } }, row) =>
    openBlock({
      plain: readSegment(blocks, row, "plain"),
      distribution: readSegment(blocks, row, "distribution"),
    }),
  pick: pickPoints,
  merge: mergePoints,
};

const SUMS: Kind = {
  open: ({ reading }, row) => openSums(readSegment(reading.blocks, row, "plain")),
  pick: pickSums,
  merge: mergePointSums,
};

/** Returns all points of some endpoints, which ascend by number, by endpoint, then second. Holds one block open at a time. */
export async function gatherPoints(
  blocks: Omit<Scanned, "isWanted">,
  endpoints: readonly Endpoint[],
  detail: PointDetail,
): Promise<PointSums> {
  const kind = detail === "sums" ? SUMS : POINTS;
  let parts: PointSums[] = [];
  for await (const own of readBlocks(blocks, kind, endpoints)) {
    parts.push(...own);
    // Small columns take more memory than their points.
    if (parts.length >= PARTS_MAX) parts = [kind.merge(parts)];
  }
  return kind.merge(parts);
}

/** Adds up the points of some blocks by endpoint. Holds one block open at a time. */
export async function addUp(blocks: Omit<Scanned, "isWanted">): Promise<Totals> {
  const totals = new Totals();
  const yielder = new Yielder();
  let parts: DataPoints[] = [];
  const add = async () => {
    totals.add(withoutSeconds(parts));
    for (const _ of totals.tidy()) await yielder.pass();
    parts = [];
  };
  for await (const own of readBlocks(blocks, POINTS)) {
    parts.push(...(own as DataPoints[]));
    if (parts.reduce((sum, { second }) => sum + second.length, 0) >= ADDED_POINTS) await add();
  }
  await add();
  return totals;
}

/** Yields the points of each block, of some endpoints or of all, sorted by endpoint, then second. Holds one block open at a time. */
export async function* scanBlocks(
  blocks: Omit<Scanned, "isWanted">,
  endpoints: readonly Endpoint[] | undefined,
  detail: PointDetail,
): AsyncGenerator<PointSums> {
  const kind = detail === "sums" ? SUMS : POINTS;
  for await (const own of readBlocks(blocks, kind, endpoints)) {
    if (own.length > 0) yield kind.merge(own);
  }
}

/** Yields the points in the range of each block. */
async function* readBlocks(
  { file, loadTest, loading, rows, range }: Omit<Scanned, "isWanted">,
  kind: Kind,
  endpoints?: readonly Endpoint[],
): AsyncGenerator<readonly PointSums[], void, undefined> {
  const set = endpoints && new NumberSet(Uint32Array.from(endpoints, ({ number }) => number));
  const isWanted = set && ((number: number): boolean => set.has(number));
  const [from, until] = [endpoints?.[0]?.number ?? 0, (endpoints?.at(-1)?.number ?? Infinity) + 1];
  const yielder = new Yielder();
  for (const [at, row] of rows.entries()) {
    if (at % ROWS_AHEAD === 0) await loading?.ahead(rows.slice(at, at + ROWS_AHEAD));
    const labels = (): readonly string[] => {
      const there = new NumberSet(numbersIn(row.endpoints));
      return (endpoints ?? []).filter(({ number }) => there.has(number)).map(({ label }) => label);
    };
    yield await withBlocks(loading, [row], () =>
      attemptBlock({ file, loadTest, row, labels }, () =>
        pickWanted(kind, kind.open(file, row).points(from, until), row, { isWanted, range }),
      ),
    );
    await yielder.pass();
  }
}

/** See `EndpointIndex.scan`. */
export async function* scanPoints(
  { file, loadTest, rows, isWanted, range }: Scanned,
  detail: ScannedDetail,
): AsyncGenerator<PointSums, void, undefined> {
  const kind = detail === "sums" ? SUMS : POINTS;
  const yielder = new Yielder();
  const attempt = <Result>(row: BlockRow, work: () => Result): Result =>
    attemptBlock({ file, loadTest, row }, work);
  const spans: BlockSpan[] = [];
  for (const row of rows) {
    const bounds = boundsOf(row.endpoints);
    spans.push({ row, bounds, from: bounds[0] as number, until: bounds.at(-1) as number });
    if (spans.length % SPANS_AT_ONCE === 0) await yielder.pass();
  }
  const steps = cutSteps(pointsByGroup(spans));
  await yielder.pass();
  // Sorted so that the next block to open is the last element.
  const waiting = spans.toSorted((left, right) => right.from - left.from);
  await yielder.pass();
  let opened: { readonly span: BlockSpan; readonly block: OpenedBlock<PointSums> }[] = [];
  for (const step of steps) {
    for (let next = waiting.at(-1); next && next.from < step.until; next = waiting.at(-1)) {
      waiting.pop();
      const { row } = next;
      opened.push({ span: next, block: attempt(row, () => kind.open(file, row)) });
      await yielder.pass();
    }
    const parts = opened.flatMap(({ span, block }) =>
      attempt(span.row, () =>
        pickWanted(kind, block.points(step.from, step.until), span.row, { isWanted, range }),
      ),
    );
    opened = opened.filter(({ span }) => span.until > step.until);
    if (parts.length > 0) yield kind.merge(parts);
    await yielder.pass();
  }
}

/** Returns the selected points of a block, of which these are some. */
function pickWanted(
  kind: Kind,
  parts: Iterable<PointSums>,
  row: BlockRow,
  { isWanted, range }: Pick<Scanned, "isWanted" | "range">,
): PointSums[] {
  const cutting = isWithin(row, range) ? undefined : range;
  return [...parts].flatMap((part) => {
    const wanted = wantedPoints(part, isWanted, cutting);
    if (wanted === undefined) return part;
    return wanted.length === 0 ? [] : kind.pick(part, wanted);
  });
}

export function isWithin(
  { first_second, last_second }: BlockRow,
  { from, until }: SecondRange,
): boolean {
  return first_second >= from && last_second < until;
}

/** Returns the indexes of selected points; `undefined` if all are selected. */
function wantedPoints(
  { endpoint, second }: PointSums,
  isWanted: Scanned["isWanted"],
  range: SecondRange | undefined,
): Uint32Array | undefined {
  if (isWanted === undefined && range === undefined) return undefined;
  const wanted = new Uint32Array(endpoint.length);
  let count = 0;
  let [last, isLast] = [-1, true];
  for (let point = 0; point < endpoint.length; point++) {
    const [number, at] = [endpoint[point] as number, second[point] as number];
    if (number !== last) [last, isLast] = [number, isWanted?.(number) ?? true];
    if (isLast && (range === undefined || (at >= range.from && at < range.until))) {
      wanted[count++] = point;
    }
  }
  return count === endpoint.length ? undefined : wanted.subarray(0, count);
}

interface BlockSpan {
  readonly row: BlockRow;
  readonly from: number;
  readonly until: number;
  readonly bounds: Uint32Array;
}

/** Endpoints read together, from `from` to `until` (half open). */
interface Step {
  readonly from: number;
  readonly until: number;
}

/** Yields steps of few points, ascending: complete groups, or single endpoints of a large group. */
function* cutSteps(points: Float64Array): Generator<Step, void, undefined> {
  let [begin, waiting] = [0, 0];
  for (let group = 0; group < points.length; group++) {
    const own = points[group] as number;
    const [first, end] = [group << 4, (group + 1) << 4];
    if (waiting > 0 && waiting + own > STEP_POINTS) {
      yield { from: begin, until: first };
      waiting = 0;
    }
    if (waiting === 0) begin = first;
    waiting += own;
    if (own <= GROUP_POINTS_MAX) continue;
    for (let endpoint = first; endpoint < end; endpoint++) {
      yield { from: endpoint, until: endpoint + 1 };
    }
    waiting = 0;
  }
  if (waiting > 0) yield { from: begin, until: points.length << 4 };
}

/** Estimates the points per group, assuming that the endpoints of a block have equally many. */
function pointsByGroup(spans: readonly BlockSpan[]): Float64Array {
  const last = spans.reduce((most, { until }) => Math.max(most, until), 0);
  const points = new Float64Array(last === 0 ? 0 : groupOf(last - 1) + 1);
  for (const { row, bounds } of spans) {
    let size = 0;
    for (let run = 0; run < bounds.length; run += 2) {
      size += (bounds[run + 1] as number) - (bounds[run] as number);
    }
    for (let run = 0; run < bounds.length; run += 2) {
      const [from, until] = [bounds[run] as number, bounds[run + 1] as number];
      for (let group = groupOf(from); group * GROUP_SIZE < until; group++) {
        const shared =
          Math.min(until, (group + 1) * GROUP_SIZE) - Math.max(from, group * GROUP_SIZE);
        points[group] = (points[group] as number) + (row.points * shared) / size;
      }
    }
  }
  return points;
}
