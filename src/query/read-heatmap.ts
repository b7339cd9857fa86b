import type { HeatmapEndpointsJson } from "../api/response-times.ts";
import { paced } from "../concurrency/yielder.ts";
import { BUCKET_COUNT } from "../model/buckets/bucket-layout.ts";
import type { DataPoints, SeriesColumns } from "../model/data-points.ts";
import { addExactly } from "../model/exact.ts";
import { bucketMiddle } from "../model/histogram.ts";
import { compareLabels } from "../model/label.ts";
import { type Outcome, timedOf } from "../model/outcomes.ts";
import { ALL_SECONDS, withoutSecondZero } from "../model/columns.ts";
import { type SelectedPart, hashOfLabel } from "../series/endpoint-selection.ts";
import { type Snapshots, withSnapshot } from "../series/open-snapshot.ts";
import { pointsOfOutcome } from "../series/points-of-outcome.ts";
import { listByLabel, overallNumbers, selectNumbers } from "../series/selected-series.ts";
import { windowOf } from "./coarse-points.ts";
import { openOverall } from "./read-overall.ts";

export interface HeatmapEndpointsQuery extends SelectedPart {
  /** Response times in microseconds, half open. */
  readonly fromMicros: number;
  readonly untilMicros: number;
  /** Which requests count. @default all */
  readonly outcome?: Outcome | undefined;
  readonly limit: number;
}

/**
 * Counts the requests of a rectangle of the heatmap by endpoint. As there, a request is in the middle of its bucket, at most
 * 0.1 % from its own response time. Throws `unknown-load-test`, `sum-too-large`, `damaged-store`.
 */
export async function readHeatmapEndpoints(
  points: Snapshots,
  query: HeatmapEndpointsQuery,
): Promise<HeatmapEndpointsJson> {
  return withSnapshot(points, query, async (snapshot) => {
    const index = await snapshot.index();
    const selected = await selectNumbers(index, query.selection);
    const numbers = overallNumbers(index, selected, query.selection);
    const range = withoutSecondZero(query.range ?? ALL_SECONDS);
    const detail = query.outcome === undefined ? "outcomes" : "distribution";
    const tally = new Tally(query);
    for await (const part of paced(index.scan(numbers, range, detail))) {
      tally.add(part, query.outcome);
      if (query.outcome === undefined) tally.addFailed(pointsOfOutcome(part, "failed"));
    }
    const inside = [...tally.byNumber].filter(([, { requests }]) => requests > 0);
    const most = inside.toSorted(([, left], [, right]) => right.requests - left.requests);
    const listed = await listByLabel(
      index,
      Uint32Array.from(most.slice(0, query.limit), ([number]) => number).toSorted(),
    );
    const endpoints = listed.map(({ number, label }) => ({
      label,
      hash: hashOfLabel(label),
      ...(tally.byNumber.get(number) as Counts).asItem(),
    }));
    return {
      ...tally.total.asItem(),
      endpointCount: inside.length,
      endpoints: endpoints.toSorted(
        (left, right) => right.requests - left.requests || compareLabels(left.label, right.label),
      ),
    };
  });
}

class Counts {
  requests = 0;
  #failed: number | undefined = 0;
  #timed = 0;
  #unknown = 0;

  add(inside: number, timed: number, all: number): void {
    this.requests = addExactly(this.requests, inside);
    this.#timed = addExactly(this.#timed, timed);
    this.#unknown = addExactly(this.#unknown, all - timed);
  }

  /** `undefined` if it is unknown how many of them are in the rectangle. */
  addFailed(inside: number | undefined): void {
    const before = this.#failed;
    this.#failed =
      before === undefined || inside === undefined ? undefined : addExactly(before, inside);
  }

  asItem() {
    return {
      requests: this.requests,
      errCount: this.#failed ?? null,
      ofRequests: this.#timed,
      unknownRequests: this.#unknown,
    };
  }
}

class Tally {
  readonly total = new Counts();
  readonly byNumber = new Map<number, Counts>();
  readonly #isInside: Uint8Array;

  constructor({ fromMicros, untilMicros }: HeatmapEndpointsQuery) {
    this.#isInside = Uint8Array.from({ length: BUCKET_COUNT }, (_, bucket) => {
      const middle = bucketMiddle(bucket);
      return middle >= fromMicros && middle < untilMicros ? 1 : 0;
    });
  }

  /** Adds points; those of failed requests alone are counted as such. */
  add(points: DataPoints, outcome: Outcome | undefined): void {
    for (const [point, number] of points.endpoint.entries()) {
      const [inside, timed] = this.#countsOf(points, point);
      for (const counts of [this.total, this.#of(number)]) {
        counts.add(inside, timed, points.requests[point] as number);
        if (outcome === "failed") counts.addFailed(inside);
      }
    }
  }

  /** Adds which of the points added before are failed requests. */
  addFailed(failed: DataPoints): void {
    for (const [point, number] of failed.endpoint.entries()) {
      const [inside, timed] = this.#countsOf(failed, point);
      const areKnown = timed === timedOf(failed, point);
      for (const counts of [this.total, this.#of(number)]) {
        counts.addFailed(areKnown ? inside : undefined);
      }
    }
  }

  #countsOf({ bucketsFrom, bucket, bucketCount }: DataPoints, point: number): [number, number] {
    let [inside, timed] = [0, 0];
    const end = bucketsFrom[point + 1] as number;
    for (let entry = bucketsFrom[point] as number; entry < end; entry++) {
      const count = bucketCount[entry] as number;
      timed += count;
      if (this.#isInside[bucket[entry] as number] === 1) inside += count;
    }
    return [inside, timed];
  }

  #of(number: number): Counts {
    const counts = this.byNumber.get(number) ?? new Counts();
    this.byNumber.set(number, counts);
    return counts;
  }
}

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
