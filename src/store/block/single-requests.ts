/**
 * Points of one request: its elapsed time is sum, minimum and maximum at once and names the one
 * bucket, so that such points need no distribution of their own. Sparse load tests have many.
 */

import type { DataPoints, DistributionColumns, SumColumns } from "../../model/data-points.ts";
import { bucketOf } from "../../model/histogram.ts";

/** Whether the distribution of every point of one request follows from its sum. */
export function singlesFollow(points: DataPoints): boolean {
  for (let point = 0; point < points.requests.length; point++) {
    if (points.requests[point] === 1 && !follows(points, point)) return false;
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

/** The points from `from` to `until` (half open) that have more than one request, as indexes. */
export function withoutSingles(requests: Float64Array, from: number, until: number): Uint32Array {
  const kept = new Uint32Array(until - from);
  let count = 0;
  for (let point = from; point < until; point++) if (requests[point] !== 1) kept[count++] = point;
  return kept.subarray(0, count);
}

/** The distributions of all points with these sums, from those that `withoutSingles` kept. */
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
