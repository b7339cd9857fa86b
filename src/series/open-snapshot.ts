import { type Endpoint, requireLoadTest } from "../model/load-test.ts";
import type { Outcome } from "../model/outcomes.ts";
import type { LoadTests, Points } from "../store/store.ts";
import type { Snapshot, EndpointIndex, EndpointSeries } from "../store/snapshot.ts";
import type { DataPoints, SeriesColumns } from "../model/data-points.ts";
import { ALL_SERIES, type FacetSelection } from "./series-groups.ts";
import { snapshotOfLabels } from "./snapshot-of-labels.ts";
import { pointsOfOutcome } from "./points-of-outcome.ts";
import { NO_PERCENTILES } from "../model/reported-percentiles.ts";
import { ALL_SECONDS, type SecondRange } from "../model/columns.ts";

/** Read access to load tests. */
export type Snapshots = Pick<Points, "snapshot">;

/** Opens the current state as seen by label, or by facets, and of requests with one outcome if it is given; release it. Throws `unknown-load-test`. */
export async function openSnapshot(
  points: Snapshots,
  loadTestId: string,
  { outcome, selection }: Viewed = {},
): Promise<Snapshot> {
  const stored = requireLoadTest(await points.snapshot(loadTestId), loadTestId);
  const snapshot = moments.has(points)
    ? stored
    : snapshotOfLabels(stored, selection?.facets ?? ALL_SERIES);
  return outcome === undefined ? snapshot : snapshotOfOutcome(snapshot, outcome);
}

export interface Viewed {
  /** @default all requests */
  readonly outcome?: Outcome | undefined;
  readonly selection?: { readonly facets?: FacetSelection } | undefined;
}

/** Reads the current state, as `openSnapshot` opens it, and releases it. Throws `unknown-load-test`. */
export async function withSnapshot<Result>(
  points: Snapshots,
  { loadTestId, ...viewed }: Viewed & { readonly loadTestId: string },
  read: (snapshot: Snapshot) => Promise<Result>,
): Promise<Result> {
  const snapshot = await openSnapshot(points, loadTestId, viewed);
  try {
    return await read(snapshot);
  } finally {
    snapshot.release();
  }
}

/** See `Snapshot.revision`; `undefined` if the load test does not exist. */
export async function revisionOf(
  points: Snapshots,
  loadTestId: string,
): Promise<string | undefined> {
  const snapshot = await points.snapshot(loadTestId);
  snapshot?.release();
  return snapshot?.revision;
}

/** Seconds of all endpoints of a load test within a range, whether or not each has requests in all of them; 0 if it does not exist. */
export async function endpointSecondsOf(
  { find }: Pick<LoadTests, "find">,
  loadTestId: string,
  range: SecondRange = ALL_SECONDS,
): Promise<number> {
  const { endpoints = 0, from = 0, until = 0 } = (await find(loadTestId)) ?? {};
  const seconds = Math.min(until + 1, range.until) - Math.max(from, range.from);
  return endpoints * Math.max(0, seconds);
}

/** Their snapshots are views already. */
const moments = new WeakSet<Snapshots>();

/** Several reads of one revision, of one view of it, though the load test may grow. */
export function sameMoment(snapshot: Snapshot): Snapshots {
  const moment = { snapshot: async () => ({ ...snapshot, release: () => undefined }) };
  moments.add(moment);
  return moment;
}

/** A snapshot as if only the passed or the failed requests had been made. What tools reported is left out, as it is of all requests; samples are those of all. */
export function snapshotOfOutcome(snapshot: Snapshot, outcome: Outcome): Snapshot {
  async function* read(
    endpoints: readonly Endpoint[],
    range: SecondRange,
  ): AsyncGenerator<EndpointSeries<SeriesColumns>> {
    for await (const { endpoint, columns } of snapshot.read(endpoints, range, "outcomes")) {
      yield { endpoint, columns: pointsOfOutcome(columns, outcome) };
    }
  }
  return {
    ...snapshot,
    index: async () => indexOfOutcome(await snapshot.index(), outcome),
    read,
    reported: async () => NO_PERCENTILES,
  };
}

function indexOfOutcome(index: EndpointIndex, outcome: Outcome): EndpointIndex {
  async function* scan(numbers: Uint32Array, range: SecondRange): AsyncGenerator<DataPoints> {
    for await (const points of index.scan(numbers, range, "outcomes")) {
      const own = pointsOfOutcome(points, outcome);
      if (own.second.length > 0) yield own;
    }
  }
  return { ...index, scan };
}
