/** Reading in the memory store: every batch that is visible, cut by endpoint and merged. */

import type { DataPoints } from "../model/data-points.ts";
import type { Endpoint } from "../model/load-test.ts";
import { compareLabels } from "../model/label.ts";
import { mergeSeries, mergeSums } from "../model/merge-points.ts";
import type { SecondRange } from "../model/second-range.ts";
import { indexesOf, sliceDistribution, sliceSums } from "./series.ts";
import type { LoadTestSummary, Snapshot } from "./store.ts";

/** Opens a snapshot of `parts`; `labels` are by endpoint number. */
export function openMemorySnapshot(
  about: Pick<Snapshot, "loadTest" | "revision">,
  labels: ReadonlyMap<number, string>,
  parts: readonly DataPoints[],
): Snapshot {
  async function* read(
    endpoints: readonly Endpoint[],
    range: SecondRange,
    detail: "sums" | "distribution",
  ): AsyncGenerator<never> {
    for (const endpoint of endpoints) {
      const columns =
        detail === "sums"
          ? mergeSums(parts.map((part) => cut(part, endpoint.number, range).sums()))
          : mergeSeries(parts.map((part) => cut(part, endpoint.number, range).all()));
      // The overloads of `read` promise what `detail` chooses; one body cannot say so in types.
      yield { endpoint, columns } as never;
    }
  }
  return {
    ...about,
    read,
    async endpoints() {
      const seen = new Set(parts.flatMap((part) => [...new Set(part.endpoint)]));
      return [...seen]
        .map((number) => ({ number, label: labels.get(number) as string }))
        .toSorted((left, right) => compareLabels(left.label, right.label));
    },
    release() {},
  };
}

/** The summary numbers of everything in `parts`; second 0 is not a first or last second. */
export function summarise(
  parts: readonly DataPoints[],
): Pick<LoadTestSummary, "endpoints" | "requests" | "failedRequests" | "from" | "until"> {
  const endpoints = new Set<number>();
  let [requests, failedRequests] = [0, 0];
  let [from, until] = [Infinity, 0];
  for (const part of parts) {
    for (const [point, second] of part.second.entries()) {
      endpoints.add(part.endpoint[point] as number);
      requests += part.requests[point] as number;
      failedRequests += part.failedRequests[point] as number;
      if (second > 0) [from, until] = [Math.min(from, second), Math.max(until, second)];
    }
  }
  const range = until === 0 ? { from: undefined, until: undefined } : { from, until };
  return { endpoints: endpoints.size, requests, failedRequests, ...range };
}

function cut(part: DataPoints, endpoint: number, range: SecondRange) {
  const first = part.endpoint.indexOf(endpoint);
  const start = first === -1 ? 0 : first;
  const end = first === -1 ? 0 : part.endpoint.lastIndexOf(endpoint) + 1;
  const within = indexesOf(part.second.subarray(start, end), range);
  const [from, until] = [start + within.from, start + within.until];
  return {
    sums: () => sliceSums(part, from, until),
    all: () => ({ ...sliceSums(part, from, until), ...sliceDistribution(part, from, until) }),
  };
}
