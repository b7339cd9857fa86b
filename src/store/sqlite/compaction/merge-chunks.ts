/** Merging for the compactor, in chunks of one write each, in this thread or in another (`background.ts`). */

import { type UserTable, mergeUsers } from "../../../model/active-users.ts";
import { lowerBound, viewRows } from "../../../model/columns.ts";
import type { DataPoints } from "../../../model/data-points.ts";
import { type FailureTable, mergeFailures } from "../../../model/failures.ts";
import { downsampleMeasures } from "../../../model/measures/downsample-measures.ts";
import type { MeasureTable } from "../../../model/measures/measure-table.ts";
import { mergeMeasures } from "../../../model/measures/merge-measures.ts";
import { mergePoints } from "../../../model/merge-points.ts";
import { openBlock } from "../../block/block.ts";
import { decodeFailures, decodeUsers } from "../../block/detail-segments.ts";
import { numbersIn, rolesOf, withRoles } from "../../block/endpoint-set.ts";
import { decodeMeasures } from "../../block/measures-segment.ts";
import { type Downsampling, downsample } from "../../downsample.ts";
import { inOrder } from "../../numbered-points.ts";
import type { SourceUsers } from "../../stored-details.ts";
import {
  type BlockKind,
  type BlockRow,
  type EncodedBlock,
  type Segments,
  bytesIn,
} from "../blocks/block-rows.ts";
import {
  type Arrangement,
  GROUP_SIZE,
  encodeFailureBlocks,
  encodeMeasureBlocks,
  encodePoints,
  encodeUserBlocks,
} from "../blocks/encode-blocks.ts";
import type { CompactionPlan } from "./compaction-plan.ts";

/** Rows merged in a few milliseconds. */
const STEP_ROWS = 4096;
/** Time slice, after which other work gets as much time. */
const TURN_MS = 4;
/** Bytes of blocks that make a chunk. */
const WRITE_BYTES = 512 * 1024;

/** Merges the blocks of a plan in chunks of one write each. Throws what `mergeBlocks` throws. */
export type MergePlan = (plan: CompactionPlan) => AsyncIterable<readonly EncodedBlock[]>;

/** Yields the chunks of a merge, and `undefined` wherever other work may run. */
export function* mergeChunks(job: MergeJob): Generator<readonly EncodedBlock[] | undefined> {
  let made: EncodedBlock[] = [];
  let bytes = 0;
  for (const block of mergeBlocks(job)) {
    if (block !== undefined) {
      made.push(block);
      bytes += bytesIn(block.segments);
    }
    if (bytes < WRITE_BYTES) {
      yield undefined;
    } else {
      yield made;
      [made, bytes] = [[], 0];
    }
  }
  if (made.length > 0) yield made;
}

interface TurnsRequest extends Pick<MergeJob, "segmentsOf"> {
  /** Yields to other work for about as long as the work took. */
  readonly rest: (tookMs: number) => Promise<unknown>;
  readonly isWanted: () => boolean;
}

/** Merges in this thread, in slices of some milliseconds. */
export function mergingInTurns({ segmentsOf, rest, isWanted }: TurnsRequest): MergePlan {
  return async function* mergeInTurns(plan) {
    let turnBeganAtMs = performance.now();
    for (const chunk of mergeChunks({ ...plan, segmentsOf, stepRows: STEP_ROWS })) {
      if (!isWanted()) return;
      if (chunk !== undefined) yield chunk;
      const tookMs = performance.now() - turnBeganAtMs;
      if (tookMs < TURN_MS) continue;
      // Equal pauses: compaction takes at most half of the time, and new batches wait little.
      await rest(tookMs);
      turnBeganAtMs = performance.now();
    }
  };
}

export function bytesOf(blocks: readonly EncodedBlock[]): number {
  return blocks.reduce((sum, { segments }) => sum + bytesIn(segments), 0);
}

/** Rows encoded per step, unless one step has merged more. */
const OUTPUT_ROWS_MAX = 8192;

/** Blocks of measures held at once: each has its own names of up to 2,000 series. */
const WHOLE_BLOCKS_MAX = 16;

interface MergeJob {
  readonly kind: BlockKind;
  readonly blocks: readonly BlockRow[];
  readonly arrangement: Arrangement;
  /** Merges points and measures into windows as well. @default off */
  readonly downsampling?: Downsampling | undefined;
  /** Returns the bytes of a block. Throws `damaged-store`. */
  readonly segmentsOf: (row: BlockRow) => Segments;
  /** Rows merged per step, between which other work may run. */
  readonly stepRows: number;
}

/** Yields merged blocks of one kind, and `undefined` where other work may run. Throws `damaged-store`, `sum-too-large`. */
export function* mergeBlocks(request: MergeJob): Generator<EncodedBlock | undefined> {
  const roles = rolesOf(request.blocks);
  for (const block of mergeRows(request)) yield block && withRoles(block, roles);
}

function mergeRows(request: MergeJob): Generator<EncodedBlock | undefined> {
  if (request.kind === "points") return mergeKind(request, pointsIn(request.downsampling));
  if (request.kind === "failures") return mergeKind(request, FAILURES);
  if (request.kind === "users") return mergeKind(request, USERS);
  return mergeKind(request, measuresIn(request.downsampling));
}

/** What differs between the kinds of blocks. */
interface Kind<Part> {
  /** Returns the rows of the endpoints from `from` to `until` (half open), in chunks. */
  open(segments: Segments): (from: number, until: number) => Iterable<Part>;
  /** Accepts chunks in any order and returns ordered rows. */
  merge(parts: readonly Part[]): Part;
  rows(part: Part): number;
  /** Whether all rows of a block come at once, for every range: few blocks are held then before they are merged. @default false */
  readonly isWhole?: true;
  encode(part: Part, arrangement: Arrangement): Generator<EncodedBlock>;
}

function pointsIn(downsampling: Downsampling | undefined): Kind<DataPoints> {
  return {
    open({ plain, distribution }) {
      if (distribution === undefined) throw new Error("BUG: points have two segments");
      const opened = openBlock({ plain, distribution });
      if (downsampling === undefined) return (from, until) => opened.points(from, until);
      return function* inWindows(from, until) {
        for (const points of opened.points(from, until)) yield downsample(points, downsampling);
      };
    },
    merge: mergePoints,
    rows: ({ second }) => second.length,
    encode: (points, arrangement) => encodePoints(inOrder(points), arrangement),
  };
}

const FAILURES: Kind<FailureTable> = {
  open({ plain }) {
    const { kinds, counts } = decodeFailures(plain);
    return (from, until) => {
      const first = lowerBound(counts.endpoint, from);
      const last = lowerBound(counts.endpoint, until);
      return [{ kinds, counts: viewRows(counts, first, last) }];
    };
  },
  merge: mergeFailures,
  rows: ({ counts }) => counts.second.length,
  encode: encodeFailureBlocks,
};

const USERS: Kind<readonly SourceUsers[]> = {
  open({ plain }) {
    const sources = decodeUsers(plain);
    return () => [sources];
  },
  merge(parts) {
    const bySource = Map.groupBy(parts.flat(), ({ sourceId }) => sourceId);
    return [...bySource].map(([sourceId, own]) => ({
      sourceId,
      users: mergeUsers(own.map(({ users }): UserTable => users)),
    }));
  },
  rows: (sources) => sources.reduce((sum, { users }) => sum + users.counts.second.length, 0),
  encode: encodeUserBlocks,
};

function measuresIn(downsampling: Downsampling | undefined): Kind<MeasureTable> {
  return {
    open({ plain }) {
      const decoded = decodeMeasures(plain);
      const table = downsampling ? downsampleMeasures(decoded, downsampling) : decoded;
      return () => [table];
    },
    merge: mergeMeasures,
    isWhole: true,
    // Also a table that only counts what was not stored.
    rows: ({ sums }) => Math.max(1, sums.second.length),
    encode: (measures) => encodeMeasureBlocks(measures),
  };
}

function* mergeKind<Part>(
  { blocks, arrangement, segmentsOf, stepRows }: MergeJob,
  kind: Kind<Part>,
): Generator<EncodedBlock | undefined> {
  const output = new Output(kind, arrangement);
  // Sorted so that the next block to open is the last element.
  const waiting = blocks.map(spanOf).toSorted((left, right) => right.from - left.from);
  let opened: { readonly until: number; readonly read: ReturnType<typeof kind.open> }[] = [];
  for (const step of cutSteps(blocks, arrangement, stepRows)) {
    for (let next = waiting.at(-1); next && next.from < step.until; next = waiting.at(-1)) {
      waiting.pop();
      opened.push({ until: next.until, read: kind.open(segmentsOf(next.row)) });
      if (kind.isWhole === true && opened.length === WHOLE_BLOCKS_MAX) {
        const { until } = step;
        const all = kind.merge(opened.flatMap(({ read }) => [...read(step.from, until)]));
        opened = [{ until, read: () => [all] }];
      }
      yield undefined;
    }
    const merged = kind.merge(opened.flatMap(({ read }) => [...read(step.from, step.until)]));
    opened = opened.filter(({ until }) => until > step.until);
    yield* output.add(merged, step.group);
    yield undefined;
  }
  yield* output.end();
}

/** Buffer of merged rows: up to one block, and within one group if grouped. */
class Output<Part> {
  readonly #kind: Kind<Part>;
  readonly #arrangement: Arrangement;
  #parts: Part[] = [];
  #rows = 0;
  #group = 0;

  constructor(kind: Kind<Part>, arrangement: Arrangement) {
    this.#kind = kind;
    this.#arrangement = arrangement;
  }

  *add(part: Part, group: number): Generator<EncodedBlock | undefined> {
    const rows = this.#kind.rows(part);
    if (group !== this.#group || this.#rows + rows > OUTPUT_ROWS_MAX) yield* this.end();
    this.#parts.push(part);
    this.#rows += rows;
    this.#group = group;
  }

  *end(): Generator<EncodedBlock | undefined> {
    if (this.#rows === 0) return;
    const all = this.#kind.merge(this.#parts);
    [this.#parts, this.#rows] = [[], 0];
    yield undefined;
    yield* this.#kind.encode(all, this.#arrangement);
  }
}

/** Endpoints merged together, from `from` to `until` (half open). */
interface Step {
  readonly from: number;
  readonly until: number;
  /** The first endpoint of its first group. */
  readonly group: number;
}

/** Yields steps of few rows, ascending; if grouped, of several groups or of a part of one. */
function* cutSteps(
  blocks: readonly BlockRow[],
  arrangement: Arrangement,
  rowsMax: number,
): Generator<Step> {
  const rows = rowsByEndpoint(blocks);
  const size = arrangement === "grouped" ? GROUP_SIZE : rows.length;
  let step: Step | undefined;
  let stepRows = 0;
  for (let from = 0; from < rows.length; from += size) {
    const until = Math.min(rows.length, from + size);
    const own = rows.subarray(from, until).reduce((sum, count) => sum + count, 0);
    if (step !== undefined && stepRows + own > rowsMax) {
      yield step;
      step = undefined;
    }
    if (step === undefined) stepRows = 0;
    if (own > rowsMax) yield* cutGroup(rows, { from, until, group: from }, rowsMax);
    else if (own > 0) step = { from, group: from, ...step, until };
    stepRows += own;
  }
  if (step !== undefined) yield step;
}

function* cutGroup(
  rows: Float64Array,
  { from, until, group }: Step,
  rowsMax: number,
): Generator<Step> {
  let [first, stepRows] = [from, 0];
  for (let endpoint = from; endpoint < until; endpoint++) {
    const own = rows[endpoint] as number;
    if (stepRows > 0 && stepRows + own > rowsMax) {
      yield { from: first, until: endpoint, group };
      [first, stepRows] = [endpoint, 0];
    }
    stepRows += own;
  }
  yield { from: first, until, group };
}

/** Estimates the rows per endpoint number, assuming that those of a block have equally many. */
function rowsByEndpoint(blocks: readonly BlockRow[]): Float64Array {
  const spans = blocks.map(spanOf);
  const rows = new Float64Array(Math.max(0, ...spans.map(({ until }) => until)));
  for (const { row, endpoints } of spans) {
    const share = row.points / endpoints.length;
    for (const endpoint of endpoints) rows[endpoint] = (rows[endpoint] as number) + share;
  }
  return rows;
}

/** First and last endpoint of a block; 0 for users, which have none, and measures, which are merged all at once. */
function spanOf(row: BlockRow) {
  const found = row.kind === "measures" ? [] : numbersIn(row.endpoints);
  const endpoints = found.length === 0 ? [0] : found;
  return { row, endpoints, from: endpoints[0] as number, until: (endpoints.at(-1) as number) + 1 };
}
