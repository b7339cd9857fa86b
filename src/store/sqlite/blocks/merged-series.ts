/**
 * Cache of series that are merged over the sources of a growing load test. Seven senders leave seven points of an endpoint for each second,
 * and every response would decode and merge all of them again.
 */

import { LruCache } from "../../../concurrency/lru-cache.ts";
import { Mutex } from "../../../concurrency/mutex.ts";
import {
  lowerBound,
  type NumberColumn,
  type SecondRange,
  type SumRoom,
  withoutDefaults,
} from "../../../model/columns.ts";
import type { SeriesColumns, SumColumns } from "../../../model/data-points.ts";
import { mergeSeries, mergeSums } from "../../../model/merge-points.ts";
import { type ColumnRange, copySeries, copySums, withinRange } from "../../join-series.ts";
import type { PointDetail } from "../../snapshot.ts";
import type { BlockRow } from "./block-rows.ts";

/** Fits eight hours of twenty endpoints. */
const BYTES_MAX = 48 * 1024 * 1024;

/** Fewer blocks of an endpoint are read in some milliseconds. */
const BLOCKS_MIN = 16;

/** The objects of a series. */
const SERIES_BYTES = 4096;

/** A number in a set. */
const BLOCK_BYTES = 40;

interface MergedSeries {
  /** Blocks that are not merged any further; all their points of the endpoint are in the series. */
  readonly blocks: ReadonlySet<number>;
  readonly series: PackedSeries;
  readonly bytes: number;
}

interface MergedRun {
  /** By number. */
  readonly endpoints: Map<number, MergedSeries>;
  bytes: number;
  /** Its series do not fit; none are kept. */
  isTooLarge: boolean;
}

/** What is merged of an endpoint, and the blocks that have the rest of it. */
export interface ReadPlan {
  readonly merged: MergedSeries | undefined;
  /** To be merged and kept; all of them are of one load test. */
  readonly unmerged: readonly BlockRow[];
  readonly rest: readonly BlockRow[];
}

export class MergedSeriesCache {
  /** Held while an endpoint is merged, so that readers that begin together do not all merge it. */
  readonly merging = new Mutex();
  readonly #runs: LruCache<number, MergedRun>;
  readonly #bytesMax: number;
  readonly #blocksMin: number;

  /** Only tests set limits. */
  constructor({ bytesMax = BYTES_MAX, blocksMin = BLOCKS_MIN } = {}) {
    this.#runs = new LruCache(bytesMax);
    [this.#bytesMax, this.#blocksMin] = [bytesMax, blocksMin];
  }

  /** Whether an endpoint with these blocks of points is read from here. */
  suits(rows: readonly BlockRow[]): boolean {
    const finals = rows.filter(isFinal);
    const [first] = finals;
    if (first === undefined || finals.length < this.#blocksMin) return false;
    if (this.#runs.get(first.load_test)?.isTooLarge) return false;
    return finals.some(({ source }) => source !== first.source);
  }

  /** `rows`: all blocks with points of the endpoint. */
  plan(rows: readonly BlockRow[], endpoint: number, range: SecondRange): ReadPlan {
    const within = rows.filter((row) => meets(row, range));
    if (!this.suits(rows)) return { merged: undefined, unmerged: [], rest: within };
    const finals = rows.filter(isFinal);
    const numbers = new Set(finals.map(({ number }) => number));
    const found = this.#runs.get((finals[0] as BlockRow).load_test)?.endpoints.get(endpoint);
    // Another snapshot may see blocks that this one does not see.
    const isSeen = found?.blocks.values().every((number) => numbers.has(number)) ?? false;
    const merged = isSeen ? found : undefined;
    const isShort = 2 * within.filter(isFinal).length < finals.length;
    if (merged === undefined && isShort) return { merged, unmerged: [], rest: within };
    return {
      merged,
      unmerged: finals.filter(({ number }) => !(merged?.blocks.has(number) ?? false)),
      rest: within.filter((row) => !isFinal(row)),
    };
  }

  /** Keeps the series of an endpoint with the unmerged blocks of a plan, unless the load test is too large. Returns what is left of the plan. */
  keep({ merged, unmerged, rest }: ReadPlan, endpoint: number, series: SeriesColumns): ReadPlan {
    const blocks = new Set([...(merged?.blocks ?? []), ...unmerged.map(({ number }) => number)]);
    const packed = new PackedSeries(series);
    const kept = { blocks, series: packed, bytes: packed.bytes + BLOCK_BYTES * blocks.size };
    const loadTest = (unmerged[0] as BlockRow).load_test;
    const known = this.#runs.get(loadTest);
    const run = known ?? { endpoints: new Map(), bytes: 0, isTooLarge: false };
    if (!run.isTooLarge) {
      run.bytes += kept.bytes - (run.endpoints.get(endpoint)?.bytes ?? 0);
      run.endpoints.set(endpoint, kept);
    }
    if (run.bytes > this.#bytesMax) {
      run.endpoints.clear();
      [run.isTooLarge, run.bytes] = [true, 0];
    }
    this.#runs.set(loadTest, run, SERIES_BYTES + run.bytes);
    return { merged: kept, unmerged: [], rest };
  }
}

function meets({ first_second, last_second }: BlockRow, range: SecondRange): boolean {
  return first_second < range.until && last_second >= range.from;
}

/** Compaction does not replace it. */
function isFinal({ endpoint_group: group }: BlockRow): boolean {
  return group !== null;
}

/** Columns of the narrowest types that hold their values, in a third of the memory. */
class PackedSeries {
  readonly bytes: number;
  /** Values of columns may be of narrower types. */
  readonly #series: SeriesColumns;

  constructor(series: SeriesColumns) {
    const columns = Object.entries(series as unknown as Columns).map(
      ([name, column]) => [name, KEPT.has(name) ? column.slice() : narrowed(column)] as const,
    );
    this.bytes = columns.reduce((sum, [, { byteLength }]) => sum + byteLength, SERIES_BYTES);
    this.#series = Object.fromEntries(columns) as unknown as SeriesColumns;
  }

  /** Returns its points within the range merged with `parts`; sums in `room`. Throws `sum-too-large`. */
  mergedWith(
    parts: readonly SeriesColumns[],
    range: SecondRange,
    detail: "distribution",
  ): SeriesColumns;
  mergedWith(
    parts: readonly SumColumns[],
    range: SecondRange,
    detail: PointDetail,
    room?: SumRoom,
  ): SumColumns;
  mergedWith(
    parts: readonly SumColumns[],
    range: SecondRange,
    detail: PointDetail,
    room?: SumRoom,
  ): SumColumns {
    if (detail === "sums") {
      return mergedOnto<SumColumns>(this.#series, parts, range, {
        copy: copySums,
        merge: mergeSums,
        room,
      });
    }
    return mergedOnto(this.#series, parts as readonly SeriesColumns[], range, {
      copy: copySeries,
      merge: mergeSeries,
    });
  }
}

interface Merging<Points> {
  readonly copy: (ranges: readonly ColumnRange<Points>[], room?: SumRoom) => Points;
  readonly merge: (parts: readonly Points[]) => Points;
  readonly room?: SumRoom | undefined;
}

/** Merges from the first second of the parts on: those of a run that goes on have the last ones. */
function mergedOnto<Points extends SumColumns>(
  columns: Points,
  parts: readonly Points[],
  range: SecondRange,
  { copy, merge, room }: Merging<Points>,
): Points {
  const all = { columns, from: 0, until: columns.second.length };
  const { from, until } = withinRange(all, range);
  const first = Math.min(...parts.map(({ second }) => second[0] ?? Infinity));
  const middle = lowerBound(columns.second, first, { from, until });
  const before = { columns, from, until: middle };
  if (first === Infinity) return withoutDefaults(copy([before], room));
  const merged = merge([...parts, copy([{ columns, from: middle, until }])]);
  const after = { columns: merged, from: 0, until: merged.second.length };
  return withoutDefaults(copy([before, after], room));
}

type Columns = Readonly<Record<string, NumberColumn>>;

/** Columns that keep their type: most are searched, or hold positions. */
const KEPT: ReadonlySet<string> = new Set(["second", "bucketsFrom", "bucket", "windowSeconds"]);

function narrowed(column: NumberColumn): NumberColumn | Uint8Array {
  let most = 0;
  for (let at = 0; at < column.length; at++) {
    const value = column[at] as number;
    if (!(value >= 0 && value <= 0xffff_ffff)) return column.slice();
    if (value > most) most = value;
  }
  if (most > 0xffff) return Uint32Array.from(column);
  return most > 0xff ? Uint16Array.from(column) : Uint8Array.from(column);
}
