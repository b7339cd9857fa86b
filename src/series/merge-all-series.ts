import type { DistributionColumns, SeriesColumns, SumColumns } from "../model/data-points.ts";
import { mergeSeries, mergeSums } from "../model/merge-points.ts";
import { paced } from "../concurrency/yielder.ts";

/** Minimum number of series per merge: fewer would be sorted too often. */
const PARTS_MIN = 16;
/** Minimum size relative to what is already merged, all of which each merge reads: the time per endpoint stays nearly constant. */
const WAITING_SHARE_MIN = 0.25;
/** Overhead of a series, in rows: columns of three points consist mostly of it. */
const ROWS_OF_A_PART = 100;

/** Merges all series into one, yielding to other work. Throws `sum-too-large`. */
export function mergeAllSeries(
  series: AsyncIterable<{ readonly columns: SeriesColumns }>,
): Promise<SeriesColumns> {
  return mergeAll(series, new Merger(mergeSeries));
}

/** The same for sums only. */
export function mergeAllSums(
  series: AsyncIterable<{ readonly columns: SumColumns }>,
): Promise<SumColumns> {
  return mergeAll(series, new Merger(mergeSums));
}

async function mergeAll<Columns extends MergedColumns>(
  series: AsyncIterable<{ readonly columns: Columns }>,
  merger: Merger<Columns>,
): Promise<Columns> {
  for await (const { columns } of paced(series)) merger.add(columns);
  return merger.compact();
}

type MergedColumns = SumColumns & Partial<DistributionColumns>;

/** Merges series into one as they arrive. */
export class Merger<Columns extends MergedColumns> {
  /** Points and histogram entries of what is merged so far. */
  mergedRows = 0;
  readonly #merge: (parts: readonly Columns[]) => Columns;
  #parts: Columns[] = [];
  #waitingRows = 0;

  constructor(merge: (parts: readonly Columns[]) => Columns) {
    this.#merge = merge;
  }

  /** Throws `sum-too-large`. */
  add(columns: Columns): void {
    this.#parts.push(columns);
    this.#waitingRows += rowsOf(columns);
    const isEnough = this.#waitingRows >= this.mergedRows * WAITING_SHARE_MIN;
    if (this.#parts.length < PARTS_MIN || !isEnough) return;
    const merged = this.#merge(this.#parts);
    [this.#parts, this.mergedRows, this.#waitingRows] = [[merged], rowsOf(merged), 0];
  }

  /** Returns everything that was added. Throws `sum-too-large`. */
  compact(): Columns {
    return this.#merge(this.#parts);
  }
}

function rowsOf({ second, bucket }: MergedColumns): number {
  return ROWS_OF_A_PART + second.length + (bucket?.length ?? 0);
}
