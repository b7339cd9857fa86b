import type { Outcome } from "../model/outcomes.ts";
import type { SeriesColumns } from "../model/data-points.ts";
import { addExactly } from "../model/exact.ts";
import { BUCKET_COUNT } from "../model/buckets/bucket-layout.ts";
import { bucketMiddle } from "../model/histogram.ts";
import { ALL_SECONDS, withoutSecondZero } from "../model/second-range.ts";
import type { SelectedPart } from "../series/endpoint-selection.ts";
import { withSnapshot, type Snapshots } from "../series/open-snapshot.ts";
import { openOverall } from "./read-overall.ts";
import { paced } from "../concurrency/yielder.ts";
import { windowOf } from "./coarse-points.ts";

/** Rows of equal height on a logarithmic axis: each is 12.2 % above the one below. */
const ROWS_PER_DECADE = 20;

export interface HeatmapQuery extends SelectedPart {
  /** Seconds per column, at least 1; columns begin at multiples of it. */
  readonly resolutionSeconds: number;
  /** Which requests count. @default all */
  readonly outcome?: Outcome | undefined;
}

/** Overall response times of the selection (`overall.ts`) over time: requests per cell. */
export interface Heatmap {
  /** UNIX seconds at which the non-empty columns begin, ascending. */
  readonly second: readonly number[];
  /** For each column its non-empty cells, from fast to slow. */
  readonly cells: readonly (readonly HeatmapCell[])[];
}

interface HeatmapCell {
  /** `rowFloorMicros` gives the bounds of a row. */
  readonly row: number;
  readonly requests: number;
}

/** Returns the shortest response time of a row in microseconds; row 0 has everything below row 1. */
export function rowFloorMicros(row: number): number {
  return row === 0 ? 0 : 10 ** (row / ROWS_PER_DECADE);
}

/** The row of each bucket's middle; buckets are 0.2 % wide. */
const ROW_OF_BUCKET = Uint16Array.from({ length: BUCKET_COUNT }, (_, bucket) => {
  const middle = bucketMiddle(bucket);
  return middle < 1 ? 0 : Math.floor(ROWS_PER_DECADE * Math.log10(middle) + 1e-9);
});

/** Reads the heatmap. Throws `unknown-load-test`, `sum-too-large`, `damaged-store`. */
export async function readHeatmap(points: Snapshots, query: HeatmapQuery): Promise<Heatmap> {
  return withSnapshot(points, query, async (snapshot) => {
    const overall = await openOverall(snapshot, query.selection);
    const range = withoutSecondZero(query.range ?? ALL_SECONDS);
    const columns = new Map<number, Map<number, number>>();
    for await (const part of paced(overall.distributions(range))) {
      addCells(part.columns, query.resolutionSeconds, columns);
    }
    const ordered = [...columns].toSorted(([left], [right]) => left - right);
    return {
      second: ordered.map(([second]) => second),
      cells: ordered.map(([, cells]) =>
        [...cells]
          .map(([row, requests]) => ({ row, requests }))
          .toSorted((left, right) => left.row - right.row),
      ),
    };
  });
}

function addCells(
  points: SeriesColumns,
  resolutionSeconds: number,
  columns: Map<number, Map<number, number>>,
): void {
  const { second, bucketsFrom, bucket, bucketCount } = points;
  for (let point = 0; point < second.length; point++) {
    const at = windowOf(second[point] as number, resolutionSeconds);
    const cells = columns.get(at) ?? new Map<number, number>();
    columns.set(at, cells);
    const end = bucketsFrom[point + 1] as number;
    for (let entry = bucketsFrom[point] as number; entry < end; entry++) {
      const row = ROW_OF_BUCKET[bucket[entry] as number] as number;
      cells.set(row, addExactly(cells.get(row) ?? 0, bucketCount[entry] as number));
    }
  }
}
