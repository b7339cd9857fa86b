/**
 * Points of one request: its elapsed time is sum, minimum and maximum at once and names the one
 * bucket, so that such points need no distribution of their own. Sparse load tests have many.
 */

import type { DataPoints, DistributionColumns, SumColumns } from "../../model/data-points.ts";
import { bucketOf } from "../../model/histogram.ts";

/** Whether the distribution of every point of one request follows from its sum. */
export function singlesFollow(points: DataPoints): boolean {
  return points.requests.every((requests, point) => requests !== 1 || follows(points, point));
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

/** The points of more than one request. */
export function withoutSingles(
  all: DistributionColumns,
  requests: Float64Array,
): { readonly distribution: DistributionColumns; readonly requests: Float64Array } {
  const kept: number[] = [];
  for (let point = 0; point < requests.length; point++) if (requests[point] !== 1) kept.push(point);
  if (kept.length === requests.length) return { distribution: all, requests };
  const bucketsFrom = new Uint32Array(kept.length + 1);
  const bucket = new Uint16Array(all.bucket.length);
  const bucketCount = new Float64Array(all.bucket.length);
  let used = 0;
  for (const [index, point] of kept.entries()) {
    const [from, until] = [all.bucketsFrom[point] as number, all.bucketsFrom[point + 1] as number];
    bucket.set(all.bucket.subarray(from, until), used);
    bucketCount.set(all.bucketCount.subarray(from, until), used);
    used += until - from;
    bucketsFrom[index + 1] = used;
  }
  return {
    distribution: {
      minMicros: Float64Array.from(kept, (point) => all.minMicros[point] as number),
      maxMicros: Float64Array.from(kept, (point) => all.maxMicros[point] as number),
      bucketsFrom,
      bucket: bucket.subarray(0, used),
      bucketCount: bucketCount.subarray(0, used),
    },
    requests: Float64Array.from(kept, (point) => requests[point] as number),
  };
}

/** The inverse of `withoutSingles`, for the points with these sums. */
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
