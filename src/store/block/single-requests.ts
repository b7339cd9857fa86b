/**
 * Points with one request: the elapsed time is sum, minimum, maximum and bucket at once, so they need no
 * stored distribution. Sparse load tests have many.
 */

import type { DataPoints, DistributionColumns, SumColumns } from "../../model/data-points.ts";
import { bucketOf } from "../../model/buckets/bucket-layout.ts";
import { pointsInRuns } from "../endpoint-runs.ts";
import type { IndexRanges } from "../series.ts";

/** Whether the distribution of every point with one request follows from its sum. */
export function singlesFollow(points: DataPoints, { from, until }: IndexRanges): boolean {
  for (let run = 0; run < from.length; run++) {
    const end = until[run] as number;
    for (let point = from[run] as number; point < end; point++) {
      if (points.requests[point] === 1 && !follows(points, point)) return false;
    }
  }
  return true;
}

function follows(points: DataPoints, point: number): boolean {
  const elapsed = points.elapsedMicros[point] as number;
  const entry = points.bucketsFrom[point] as number;
  return (
    points.minMicros[point] === elapsed &&
    points.maxMicros[point] === elapsed &&
    points.bucketsFrom[point + 1] === entry + 1 &&
    points.bucket[entry] === bucketOf(elapsed) &&
    points.bucketCount[entry] === 1
  );
}

/** Which points of a block store a distribution. */
export interface ChosenPoints {
  /** Indexes of points, in the order of the block. */
  readonly kept: Uint32Array;
  /** Those of section s are the entries `from[s]` to `from[s + 1]` of `kept`, half open. */
  readonly from: Uint32Array;
}

/** All points of sections, or only those with more than one request. */
export function keptPoints(
  { requests }: SumColumns,
  sections: readonly IndexRanges[],
  areSinglesKept: boolean,
): ChosenPoints {
  const points = sections.reduce((sum, runs) => sum + pointsInRuns(runs), 0);
  const kept = new Uint32Array(points);
  const from = new Uint32Array(sections.length + 1);
  let count = 0;
  for (const [section, runs] of sections.entries()) {
    for (let run = 0; run < runs.from.length; run++) {
      const end = runs.until[run] as number;
      for (let point = runs.from[run] as number; point < end; point++) {
        if (areSinglesKept || requests[point] !== 1) kept[count++] = point;
      }
    }
    from[section + 1] = count;
  }
  return { kept: kept.subarray(0, count), from };
}

/** The requests of points that store a distribution where single ones do not. */
export function withoutSingles(requests: Float64Array): Float64Array {
  const others = new Float64Array(requests.length);
  let count = 0;
  for (let point = 0; point < requests.length; point++) {
    if (requests[point] !== 1) others[count++] = requests[point] as number;
  }
  return others.subarray(0, count);
}

/** Returns the distributions of all points with these sums, given those of `keptPoints`. */
export function insertSingles(kept: DistributionColumns, sums: SumColumns): DistributionColumns {
  const points = sums.requests.length;
  const singles = points - kept.minMicros.length;
  if (singles === 0) return kept;
  const minMicros = new Float64Array(points);
  const maxMicros = new Float64Array(points);
  const bucketsFrom = new Uint32Array(points + 1);
  const bucket = new Uint16Array(kept.bucket.length + singles);
  const bucketCount = new Float64Array(kept.bucket.length + singles);
  let [entry, next] = [0, 0];
  for (let point = 0; point < points; point++) {
    if (sums.requests[point] === 1) {
      const elapsed = sums.elapsedMicros[point] as number;
      minMicros[point] = elapsed;
      maxMicros[point] = elapsed;
      bucket[entry] = bucketOf(elapsed);
      bucketCount[entry++] = 1;
    } else {
      minMicros[point] = kept.minMicros[next] as number;
      maxMicros[point] = kept.maxMicros[next] as number;
      const until = kept.bucketsFrom[next + 1] as number;
      for (let own = kept.bucketsFrom[next] as number; own < until; own++) {
        bucket[entry] = kept.bucket[own] as number;
        bucketCount[entry++] = kept.bucketCount[own] as number;
      }
      next += 1;
    }
    bucketsFrom[point + 1] = entry;
  }
  return { minMicros, maxMicros, bucketsFrom, bucket, bucketCount };
}
