import type { DataPoints } from "../model/data-points.ts";
import { BOUNDS, bucketOf } from "../model/histogram.ts";
import { mergePoints } from "../model/merge-points.ts";
import type { SampleWindow } from "../model/sample-batch.ts";

/** Throws `sum-too-large`. */
export function pointsOfWindows(windows: readonly SampleWindow[]): DataPoints {
  const histograms = windows.map(histogramOf);
  const bucketsFrom = new Uint32Array(windows.length + 1);
  for (const [point, histogram] of histograms.entries()) {
    bucketsFrom[point + 1] = (bucketsFrom[point] as number) + histogram.length;
  }
  const column = (valueOf: (window: SampleWindow) => number) => Float64Array.from(windows, valueOf);
  const points = {
    endpoint: Uint32Array.from(windows, ({ label }) => label),
    second: Uint32Array.from(windows, ({ second }) => second),
    requests: column(({ requests }) => requests),
    elapsedMicros: column(({ elapsedMicros }) => elapsedMicros),
    receivedBytes: column(({ receivedBytes }) => receivedBytes),
    failedRequests: column(({ failedRequests }) => failedRequests),
    failedElapsedMicros: column(({ failedElapsedMicros }) => failedElapsedMicros),
    failedReceivedBytes: column(({ failedReceivedBytes }) => failedReceivedBytes),
    minMicros: column((window) => window.minMicros ?? boundsOf(window).min),
    maxMicros: column((window) => window.maxMicros ?? boundsOf(window).max),
    bucketsFrom,
    bucket: Uint16Array.from(histograms.flat(), ([bucket]) => bucket),
    bucketCount: Float64Array.from(histograms.flat(), ([, count]) => count),
    windowSeconds: Uint16Array.from(windows, ({ windowSeconds }) => windowSeconds),
    untimedRequests: column(({ untimedRequests = 0 }) => untimedRequests),
    untimedFailedRequests: column(({ untimedFailedRequests = 0 }) => untimedFailedRequests),
  };
  return mergePoints([points]);
}

function boundsOf({ requests, untimedRequests = 0 }: SampleWindow) {
  return requests === untimedRequests ? BOUNDS.none : BOUNDS.unknown;
}

/** (bucket, count) pairs, ascending by bucket. */
function histogramOf(window: SampleWindow): [bucket: number, count: number][] {
  const counts = new Map<number, number>();
  for (const latency of window.latencies) {
    const bucket = bucketOf(latency.elapsedMicros);
    counts.set(bucket, (counts.get(bucket) ?? 0) + latency.requests);
  }
  return [...counts].toSorted(([left], [right]) => left - right);
}
