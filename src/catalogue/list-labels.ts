import { compareLabels } from "../model/label.ts";
import { ALL_SECONDS } from "../model/second-range.ts";
import { firstByValue } from "../series/first-endpoints.ts";
import { openSnapshot, type Snapshots } from "../series/open-snapshot.ts";
import { Yielder } from "../concurrency/yielder.ts";
import type { EndpointIndex, PointSums } from "../store/snapshot.ts";
import { sumOf } from "../model/columns.ts";

interface LabelsQuery {
  readonly loadTestId: string;
  /** Text that the labels contain. */
  readonly search: string;
}

interface LabelCount {
  readonly label: string;
  readonly requests: number;
}

export interface LabelList {
  /** Number of matches. */
  readonly labels: number;
  readonly requests: number;
  /** Most requests first, then by label. */
  readonly most: readonly LabelCount[];
}

/** Finds at most `limit` labels with the most requests, without holding all in memory. Throws `unknown-load-test`, `damaged-store`. */
export async function listLabels(
  points: Snapshots,
  { loadTestId, search }: LabelsQuery,
  limit: number,
): Promise<LabelList> {
  const snapshot = await openSnapshot(points, loadTestId);
  try {
    return await mostRequested(await snapshot.index(), search, limit);
  } finally {
    snapshot.release();
  }
}

async function mostRequested(
  index: EndpointIndex,
  search: string,
  limit: number,
): Promise<LabelList> {
  const numbers = search === "" ? index.numbers : await index.containing(search);
  const requests = new Float64Array((numbers.at(-1) ?? -1) + 1);
  const yielder = new Yielder();
  for await (const points of index.scan(numbers, ALL_SECONDS, "sums")) {
    addRequests(points, requests);
    if (yielder.isDue()) await yielder.next();
  }
  const first = { limit: Math.min(limit, numbers.length), isAscending: false };
  const endpoints = first.limit === 0 ? [] : await firstByValue(index, numbers, requests, first);
  const counts = endpoints.map(({ label, number }) => ({
    label,
    requests: requests[number] as number,
  }));
  return {
    labels: numbers.length,
    requests: sumOf(requests),
    most: counts.toSorted(byRequests),
  };
}

function addRequests(points: PointSums, requests: Float64Array): void {
  for (const [point, endpoint] of points.endpoint.entries()) {
    requests[endpoint] = (requests[endpoint] as number) + (points.requests[point] as number);
  }
}

function byRequests(left: LabelCount, right: LabelCount): number {
  return right.requests - left.requests || compareLabels(left.label, right.label);
}
