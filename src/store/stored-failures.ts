/** Failures by kind as every store keeps and answers them. */

import { type FailureTable, NO_FAILURES, mergeFailures } from "../model/failures.ts";
import type { Endpoint } from "../model/load-test.ts";
import type { SecondRange } from "../model/second-range.ts";
import type { NumbersOfLabels } from "./labels.ts";
import { lowerBound } from "./series.ts";
import type { PointBatch } from "./store.ts";
import type { EndpointFailures } from "./snapshot.ts";

/**
 * The failures of a batch under the numbers of its endpoints, with kinds of well-formed Unicode:
 * merged, so that the same failures are the same table however they were told.
 */
export function storedFailures(
  { failures }: PointBatch,
  { numbers }: NumbersOfLabels,
): FailureTable {
  if (failures === undefined) return NO_FAILURES;
  const { kinds, counts } = failures;
  return mergeFailures([
    {
      kinds: kinds.map(({ code, message }) => ({
        code: code.toWellFormed(),
        message: message.toWellFormed(),
      })),
      counts: { ...counts, endpoint: counts.endpoint.map((index) => numbers[index] as number) },
    },
  ]);
}

/** The failures of one endpoint in a range, out of all parts. Throws `sum-too-large`. */
export function failuresOf(
  parts: readonly FailureTable[],
  endpoint: Endpoint,
  range: SecondRange,
): EndpointFailures {
  const own = parts.map((part) => selectFailures(part, endpoint.number, range));
  const { kinds, counts } = mergeFailures(own);
  const { kind, second, requests } = counts;
  return { endpoint, kinds, kind, second, requests };
}

/** Its table is sorted by endpoint. */
function selectFailures(
  { kinds, counts }: FailureTable,
  endpoint: number,
  range: SecondRange,
): FailureTable {
  const first = lowerBound(counts.endpoint, endpoint);
  const last = lowerBound(counts.endpoint, endpoint + 1);
  const second = counts.second.subarray(first, last);
  const isWanted = (_: number, row: number) => {
    const at = second[row] as number;
    return at >= range.from && at < range.until;
  };
  return {
    kinds,
    counts: {
      endpoint: counts.endpoint.subarray(first, last).filter(isWanted),
      kind: counts.kind.subarray(first, last).filter(isWanted),
      second: second.filter(isWanted),
      requests: counts.requests.subarray(first, last).filter(isWanted),
    },
  };
}
