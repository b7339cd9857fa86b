import { quantileMicros } from "../support/histograms.ts";
import type { ImportedEndpoint } from "./import-and-read.ts";

/**
 * A percentile of an endpoint in microseconds; requests without a response time rank last. NaN if the request
 * of that rank has none, or if the histogram lacks timed requests.
 */
export function quantileOf(
  { histogram, untimedRequests }: Pick<ImportedEndpoint, "histogram" | "untimedRequests">,
  q: number,
): number {
  const timed = histogram.total - untimedRequests;
  const rank = Math.max(1, Math.ceil(q * histogram.total));
  const held = histogram.counts.reduce((sum, count) => sum + count, 0);
  if (held !== timed || rank > timed) return Number.NaN;
  return quantileMicros({ ...histogram, total: timed }, (rank - 0.5) / timed) ?? Number.NaN;
}
