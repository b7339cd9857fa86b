/**
 * Cache of series that are merged over the sources of a growing load test, and over the batches that compaction has not merged yet. Seven
 * senders leave seven points of an endpoint for each second, and every response would decode and merge all of them again.
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

/** Final blocks are not merged any further; compaction replaces live ones, which have the last batches. */
type Stage = "final" | "live";

interface MergedSeries {
  /** All their points of the endpoint are in the series. */
  readonly blocks: ReadonlySet<number>;
  readonly series: PackedSeries;
  readonly bytes: number;
}

interface MergedRun {
  /** By number of the endpoint. */
  readonly final: Map<number, MergedSeries>;
  readonly live: Map<number, MergedSeries>;
  bytes: number;
  /** Its series do not fit; none are kept. */
  isTooLarge: boolean;
}

/** What is merged of the blocks of a stage, and what is to be merged and kept. */
export interface MergePlan {
  readonly stage: Stage;
  readonly merged: MergedSeries | undefined;
  readonly unmerged: readonly BlockRow[];
}

/** What is merged of an endpoint, and the blocks that have the rest of it. */
export interface ReadPlan {
  /** Live blocks, which have the last points, first. */
  readonly plans: readonly MergePlan[];
  readonly rest: readonly BlockRow[];
}

export class MergedSeriesCache {
  /** Held while final blocks are merged, so that readers that begin together do not all merge them. */
  readonly merging = new Mutex();
  readonly #runs: LruCache<number, MergedRun>;
  readonly #bytesMax: number;
  readonly #blocksMin: number;

  /** Only tests set limits. */
  constructor({ bytesMax = BYTES_MAX, blocksMin = BLOCKS_MIN } = {}) {
    this.#runs = new LruCache(bytesMax);
    [this.#bytesMax, this.#blocksMin] = [bytesMax, blocksMin];
  }

  /** Whether the final blocks among these of an endpoint are read from here. */
  suits(rows: readonly BlockRow[]): boolean {
    const finals = rows.filter((row) => stageOf(row) === "final");
    return this.#suits(finals) && finals.some(({ source }) => source !== finals[0]?.source);
  }

  #suits(rows: readonly BlockRow[]): boolean {
    const [first] = rows;
    if (first === undefined || rows.length < this.#blocksMin) return false;
    return !(this.#runs.get(first.load_test)?.isTooLarge ?? false);
  }

  /** `rows`: all blocks with points of the endpoint. */
  plan(rows: readonly BlockRow[], endpoint: number, range: SecondRange): ReadPlan {
    const plans = [];
    let rest = rows.filter((row) => meets(row, range));
    for (const stage of ["live", "final"] as const) {
      const own = rows.filter((row) => stageOf(row) === stage);
      if (!(stage === "final" ? this.suits(own) : this.#suits(own))) continue;
      const merged = this.#seenIn(own, stage, endpoint);
      const within = rest.filter((row) => stageOf(row) === stage).length;
      if (within === 0 || (merged === undefined && 2 * within < own.length)) continue;
      const unmerged = own.filter(({ number }) => !(merged?.blocks.has(number) ?? false));
      plans.push({ stage, merged, unmerged });
      rest = rest.filter((row) => stageOf(row) !== stage);
    }
    return { plans, rest };
  }

  /** Unless it has other blocks: another snapshot may see more, and compaction replaces live ones. */
  #seenIn(rows: readonly BlockRow[], stage: Stage, endpoint: number): MergedSeries | undefined {
    const found = this.#runs.get((rows[0] as BlockRow).load_test)?.[stage].get(endpoint);
    const numbers = new Set(rows.map(({ number }) => number));
    return (found?.blocks.values().every((number) => numbers.has(number)) ?? false)
      ? found
      : undefined;
  }

  /** Keeps the series of an endpoint with the unmerged blocks of a plan, unless the load test is too large. */
  keep({ stage, merged, unmerged }: MergePlan, endpoint: number, series: SeriesColumns): MergePlan {
    const blocks = new Set([...(merged?.blocks ?? []), ...unmerged.map(({ number }) => number)]);
    const packed = new PackedSeries(series);
    const kept = { blocks, series: packed, bytes: packed.bytes + BLOCK_BYTES * blocks.size };
    const loadTest = (unmerged[0] as BlockRow).load_test;
    const run = this.#runs.get(loadTest) ?? {
      final: new Map<number, MergedSeries>(),
      live: new Map<number, MergedSeries>(),
      bytes: 0,
      isTooLarge: false,
    };
    if (!run.isTooLarge) {
      run.bytes += kept.bytes - (run[stage].get(endpoint)?.bytes ?? 0);
      run[stage].set(endpoint, kept);
    }
    if (run.bytes > this.#bytesMax) {
      run.final.clear();
      run.live.clear();
      [run.isTooLarge, run.bytes] = [true, 0];
    }
    this.#runs.set(loadTest, run, SERIES_BYTES + run.bytes);
    return { stage, merged: kept, unmerged: [] };
  }
}

function meets({ first_second, last_second }: BlockRow, range: SecondRange): boolean {
  return first_second < range.until && last_second >= range.from;
}

function stageOf({ endpoint_group: group }: BlockRow): Stage {
  return group === null ? "live" : "final";
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
