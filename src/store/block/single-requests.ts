/**
 * Points with one request: the elapsed time is sum, minimum, maximum and bucket at once, so they need no
 * stored distribution. Sparse load tests have many.
 */

import type { DistributionColumns, SumColumns } from "../../model/data-points.ts";
import { bucketOf } from "../../model/buckets/bucket-layout.ts";

/** The requests of points that store a distribution where single ones do not. */
export function withoutSingles(requests: Float64Array): Float64Array {
  const others = new Float64Array(requests.length);
  let count = 0;
  for (let point = 0; point < requests.length; point++) {
    if (requests[point] !== 1) others[count++] = requests[point] as number;
  }
  return others.subarray(0, count);
}

/** Returns the distributions of all points with these sums, given those of points with more than one request. */
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
