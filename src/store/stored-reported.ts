/** Percentiles that tools computed themselves, as every store keeps and returns them. */

import {
  NO_PERCENTILES,
  type ReportedPercentiles,
  renumberReported,
} from "../model/reported-percentiles.ts";
import type { NumbersOfLabels } from "./labels.ts";
import type { PointBatch } from "./store.ts";

/** Those of a batch under the numbers of its endpoints. */
export function storedReported(
  { reported }: PointBatch,
  { numbers }: NumbersOfLabels,
): ReportedPercentiles {
  return reported === undefined
    ? NO_PERCENTILES
    : renumberReported(reported, (label) => numbers[label]);
}
