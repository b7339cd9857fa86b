import { ALL_SECONDS } from "../model/second-range.ts";
import { openSnapshot, type Snapshots } from "./open-snapshot.ts";
import { TimeSlice } from "./time-slice.ts";

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

/** The labels of a load test and their requests, by label. Throws `unknown-load-test`, `damaged-store`. */
export async function* readLabelCounts(
  points: Snapshots,
  { loadTestId, search }: LabelsQuery,
): AsyncGenerator<LabelCount> {
  const snapshot = await openSnapshot(points, loadTestId);
  try {
    const slice = new TimeSlice();
    const endpoints = (await snapshot.endpoints()).filter(({ label }) => label.includes(search));
    for await (const { endpoint, columns } of snapshot.read(endpoints, ALL_SECONDS, "sums")) {
      const requests = columns.requests.reduce((sum, each) => sum + each, 0);
      yield { label: endpoint.label, requests };
      if (slice.isOver()) await slice.next();
    }
  } finally {
    snapshot.release();
  }
}

/** The labels with the most requests, `limit` at most. Throws what `readLabelCounts` throws. */
export async function listLabels(
  points: Snapshots,
  query: LabelsQuery,
  limit: number,
): Promise<LabelList> {
  let labels = 0;
  let requests = 0;
  let most: LabelCount[] = [];
  for await (const count of readLabelCounts(points, query)) {
    labels += 1;
    requests += count.requests;
    most.push(count);
    // Now and then, so that no more are held than are wanted, or as many again.
    if (most.length >= 2 * limit + 1000) most = firstOf(most, limit);
  }
  return { labels, requests, most: firstOf(most, limit) };
}

/** They came by label, and sorting keeps the order of equal ones. */
function firstOf(counts: readonly LabelCount[], limit: number): LabelCount[] {
  return counts.toSorted((left, right) => right.requests - left.requests).slice(0, limit);
}
