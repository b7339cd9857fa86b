import { compareLabels } from "../model/label.ts";
import { ALL_SECONDS } from "../model/second-range.ts";
import { firstByValue } from "../series/first-endpoints.ts";
import { openSnapshot, type Snapshots } from "../series/open-snapshot.ts";
import { Yielder } from "../concurrency/yielder.ts";
import type { EndpointIndex, PointSums } from "../store/snapshot.ts";
import { sumOf } from "../model/columns.ts";

export interface LabelsQuery {
  readonly loadTestId: string;
  /** Text that the labels contain. */
  readonly search: string;
}

export interface LabelCount {
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

/** The matching labels of a load test, with their requests; to be disposed of. */
export interface LabelCounts extends Disposable {
  readonly labels: number;
  readonly requests: number;
  /** Yields all of them in chunks, unordered. Repeatable. */
  chunks(): AsyncIterable<readonly LabelCount[]>;
  /** Returns those with the most requests, then by label. */
  most(limit: number): Promise<readonly LabelCount[]>;
}

/** Finds labels without holding all in memory. Throws `unknown-load-test`, `damaged-store`. */
export async function openLabelCounts(
  points: Snapshots,
  { loadTestId, search }: LabelsQuery,
): Promise<LabelCounts> {
  const snapshot = await openSnapshot(points, loadTestId);
  try {
    const counts = await countRequests(await snapshot.index(), search);
    return { ...counts, [Symbol.dispose]: () => snapshot.release() };
  } catch (error) {
    snapshot.release();
    throw error;
  }
}

/** Returns at most `limit` labels with the most requests. Throws what `openLabelCounts` throws. */
export async function listLabels(
  points: Snapshots,
  query: LabelsQuery,
  limit: number,
): Promise<LabelList> {
  using counts = await openLabelCounts(points, query);
  const { labels, requests } = counts;
  return { labels, requests, most: await counts.most(limit) };
}

type Counts = Omit<LabelCounts, typeof Symbol.dispose>;

/** Labels loaded at a time, to save memory. */
const NAMED_AT_ONCE = 4096;

async function countRequests(index: EndpointIndex, search: string): Promise<Counts> {
  const numbers = search === "" ? index.numbers : await index.containing(search);
  const requests = new Float64Array((numbers.at(-1) ?? -1) + 1);
  const yielder = new Yielder();
  for await (const points of index.scan(numbers, ALL_SECONDS, "sums")) {
    addRequests(points, requests);
    if (yielder.isDue()) await yielder.next();
  }
  const countOf = ({ label, number }: { readonly label: string; readonly number: number }) => ({
    label,
    requests: requests[number] as number,
  });
  return {
    labels: numbers.length,
    requests: sumOf(requests),
    async *chunks() {
      for (let at = 0; at < numbers.length; at += NAMED_AT_ONCE) {
        const endpoints = await index.named(numbers.subarray(at, at + NAMED_AT_ONCE));
        yield endpoints.map(countOf);
      }
    },
    async most(limit) {
      const first = { limit: Math.min(limit, numbers.length), isAscending: false };
      if (first.limit === 0) return [];
      const endpoints = await firstByValue(index, numbers, requests, first);
      return endpoints.map(countOf).toSorted(byRequests);
    },
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
