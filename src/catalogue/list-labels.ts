import { compareLabels } from "../model/label.ts";
import { ALL_SECONDS } from "../model/second-range.ts";
import { firstByValue } from "../series/first-endpoints.ts";
import { openSnapshot, type Snapshots } from "../series/open-snapshot.ts";
import { TimeSlice } from "../series/time-slice.ts";
import type { ManyEndpoints, PointSums, Snapshot } from "../store/snapshot.ts";

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
  /** All that were found. */
  readonly labels: number;
  readonly requests: number;
  /** Those with the most requests first, equal ones by label. */
  readonly most: readonly LabelCount[];
}

/** The labels of a load test that were found, with their requests. */
export interface LabelCounts {
  readonly labels: number;
  readonly requests: number;
  /** All of them in parts, in no particular order; any number of times. */
  parts(): AsyncIterable<readonly LabelCount[]>;
  /** As many as are wanted of those with the most requests, equal ones by label. */
  most(limit: number): Promise<readonly LabelCount[]>;
  /** Lets go of the snapshot. To be called once, always. */
  release(): void;
}

/** Finds labels; of very many none is held. Throws `unknown-load-test`, `damaged-store`. */
export async function openLabelCounts(
  points: Snapshots,
  { loadTestId, search }: LabelsQuery,
): Promise<LabelCounts> {
  const snapshot = await openSnapshot(points, loadTestId);
  try {
    const many = await snapshot.many?.();
    const counts = await (many === undefined
      ? countsOfFew(snapshot, search)
      : countsOfMany(many, search));
    return { ...counts, release: () => snapshot.release() };
  } catch (error) {
    snapshot.release();
    throw error;
  }
}

/** The labels with the most requests, `limit` at most. Throws what `openLabelCounts` throws. */
export async function listLabels(
  points: Snapshots,
  query: LabelsQuery,
  limit: number,
): Promise<LabelList> {
  const counts = await openLabelCounts(points, query);
  try {
    const { labels, requests } = counts;
    return { labels, requests, most: await counts.most(limit) };
  } finally {
    counts.release();
  }
}

type Counts = Omit<LabelCounts, "release">;

async function countsOfFew(snapshot: Snapshot, search: string): Promise<Counts> {
  const slice = new TimeSlice();
  const endpoints = (await snapshot.endpoints()).filter(({ label }) => label.includes(search));
  const counts: LabelCount[] = [];
  for await (const { endpoint, columns } of snapshot.read(endpoints, ALL_SECONDS, "sums")) {
    counts.push({ label: endpoint.label, requests: sum(columns.requests) });
    if (slice.isOver()) await slice.next();
  }
  return {
    labels: counts.length,
    requests: counts.reduce((total, { requests }) => total + requests, 0),
    async *parts() {
      yield counts;
    },
    most: (limit) => Promise.resolve(counts.toSorted(byRequests).slice(0, limit)),
  };
}

/** Labels that are named at once: little memory. */
const NAMED_AT_ONCE = 4096;

async function countsOfMany(many: ManyEndpoints, search: string): Promise<Counts> {
  const numbers = search === "" ? many.numbers : await many.containing(search);
  const requests = new Float64Array((numbers.at(-1) ?? -1) + 1);
  const slice = new TimeSlice();
  for await (const points of many.scan(numbers, ALL_SECONDS, "sums")) {
    addRequests(points, requests);
    if (slice.isOver()) await slice.next();
  }
  const countOf = ({ label, number }: { readonly label: string; readonly number: number }) => ({
    label,
    requests: requests[number] as number,
  });
  return {
    labels: numbers.length,
    requests: sum(requests),
    async *parts() {
      for (let at = 0; at < numbers.length; at += NAMED_AT_ONCE) {
        const endpoints = await many.named([...numbers.subarray(at, at + NAMED_AT_ONCE)]);
        yield endpoints.map(countOf);
      }
    },
    async most(limit) {
      const first = { limit: Math.min(limit, numbers.length), isAscending: false };
      if (first.limit === 0) return [];
      const endpoints = await firstByValue(many, numbers, requests, first);
      return endpoints.map(countOf).toSorted(byRequests);
    },
  };
}

function addRequests(points: PointSums, requests: Float64Array): void {
  for (const [point, endpoint] of points.endpoint.entries()) {
    requests[endpoint] = (requests[endpoint] as number) + (points.requests[point] as number);
  }
}

function sum(column: Float64Array): number {
  return column.reduce((total, each) => total + each, 0);
}

function byRequests(left: LabelCount, right: LabelCount): number {
  return right.requests - left.requests || compareLabels(left.label, right.label);
}
