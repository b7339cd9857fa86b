import type { TagCounts } from "../api/load-tests.ts";
import { Yielder } from "../concurrency/yielder.ts";
import { ALL_SECONDS, sumOf } from "../model/columns.ts";
import { compareLabels } from "../model/label.ts";
import { parseSearch } from "../model/load-test/search.ts";
import { firstByValue } from "../series/first-endpoints.ts";
import { type Snapshots, openSnapshot } from "../series/open-snapshot.ts";
import type { EndpointIndex, PointSums } from "../store/snapshot.ts";
import type { LoadTests } from "../store/store.ts";

interface LabelsQuery {
  readonly loadTestId: string;
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

/** Counts the tags of the load tests that match `search`, or of all. Throws `bad-parameter`. */
export async function countTags(
  { list }: Pick<LoadTests, "list">,
  search: string | undefined,
): Promise<TagCounts> {
  const found = await list(search === undefined ? {} : { terms: parseSearch(search) });
  const counts = new Map<string, number>();
  for (const tag of found.flatMap(({ tags }) => tags)) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  return {
    loadTests: found.length,
    tags: [...counts]
      .map(([tag, loadTests]) => ({ tag, loadTests }))
      .toSorted(
        (left, right) => right.loadTests - left.loadTests || compareLabels(left.tag, right.tag),
      ),
  };
}
