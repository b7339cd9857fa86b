/**
 * Cache of series that are merged over the sources of a growing load test. Seven senders leave seven points of an endpoint for each second,
 * and every response would decode and merge all of them again.
 */

import { LruCache } from "../../../concurrency/lru-cache.ts";
import {
  lowerBound,
  mapSums,
  type NumberColumn,
  type SecondRange,
  spanOf,
} from "../../../model/columns.ts";
import type { SeriesColumns, SumColumns } from "../../../model/data-points.ts";
import type { BlockRow } from "./block-rows.ts";

/** Fits eight hours of twenty endpoints. */
const BYTES_MAX = 48 * 1024 * 1024;

/** Fewer blocks of an endpoint are read in some milliseconds. */
const BLOCKS_MIN = 16;

/** The objects of a series. */
const SERIES_BYTES = 4096;

interface MergedSeries {
  /** Blocks that are not merged any further; all their points of the endpoint are in the series. */
  readonly blocks: ReadonlySet<number>;
  readonly series: PackedSeries;
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
  /** To be merged and kept. */
  readonly unmerged: readonly BlockRow[];
  readonly rest: readonly BlockRow[];
}

export class MergedSeriesCache {
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
    const within = rows.filter(
      (row) => row.first_second < range.until && row.last_second >= range.from,
    );
    if (!this.suits(rows)) return { merged: undefined, unmerged: [], rest: within };
    const finals = rows.filter(isFinal);
    const numbers = new Set(finals.map(({ number }) => number));
    const found = this.#runs.get((finals[0] as BlockRow).load_test)?.endpoints.get(endpoint);
    // Another snapshot may see blocks that this one does not see.
    const isSeen = found?.blocks.values().every((number) => numbers.has(number)) ?? false;
    const merged = isSeen ? found : undefined;
    const isMerged = ({ number }: BlockRow): boolean => merged?.blocks.has(number) ?? false;
    const isWhole = within.length === rows.length;
    return {
      merged,
      unmerged: isWhole ? finals.filter((row) => !isMerged(row)) : [],
      rest: within.filter((row) => (isWhole ? !isFinal(row) : !isMerged(row))),
    };
  }

  /** Keeps the series of the planned blocks, unless the load test is too large. */
  keep({ merged, unmerged }: ReadPlan, endpoint: number, series: SeriesColumns): void {
    const [first] = unmerged;
    if (first === undefined) return;
    const known = this.#runs.get(first.load_test);
    const run = known ?? { endpoints: new Map(), bytes: 0, isTooLarge: false };
    if (run.isTooLarge) return;
    const blocks = new Set([...(merged?.blocks ?? []), ...unmerged.map(({ number }) => number)]);
    const packed = new PackedSeries(series);
    run.bytes += packed.bytes - (run.endpoints.get(endpoint)?.series.bytes ?? 0);
    run.endpoints.set(endpoint, { blocks, series: packed });
    if (run.bytes > this.#bytesMax) {
      run.endpoints.clear();
      [run.isTooLarge, run.bytes] = [true, 0];
    }
    this.#runs.set(first.load_test, run, SERIES_BYTES + run.bytes);
  }
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
      ([name, column]) => [name, name in KEPT ? column.slice() : narrowed(column)] as const,
    );
    this.bytes = columns.reduce((sum, [, { byteLength }]) => sum + byteLength, SERIES_BYTES);
    this.#series = Object.fromEntries(columns) as unknown as SeriesColumns;
  }

  /** Returns a copy of the points within the range. */
  series(range: SecondRange): SeriesColumns {
    return widened(spanOf(this.#series, range)) as SeriesColumns;
  }

  sums({ from, until }: SecondRange): SumColumns {
    const { second } = this.#series;
    const [first, end] = [lowerBound(second, from), lowerBound(second, until)];
    return widened(mapSums(this.#series, (column) => column.subarray(first, end) as typeof column));
  }
}

type Columns = Readonly<Record<string, NumberColumn>>;

/** These are searched, and positions computed. */
const KEPT = { second: Uint32Array, bucketsFrom: Uint32Array } as const;

const KINDS: Readonly<Record<string, new (values: ArrayLike<number>) => NumberColumn>> = {
  ...KEPT,
  bucket: Uint16Array,
  windowSeconds: Uint16Array,
};

function widened(columns: SumColumns): SumColumns {
  const wide = Object.entries(columns as unknown as Columns).map(
    ([name, column]) => [name, new (KINDS[name] ?? Float64Array)(column)] as const,
  );
  return Object.fromEntries(wide) as unknown as SumColumns;
}

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
