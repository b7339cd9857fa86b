import { unknownLoadTest } from "../model/load-test.ts";
import type { Outcome } from "../model/outcomes.ts";
import { snapshotOfOutcome } from "./outcome-snapshot.ts";
import type { Points } from "../store/store.ts";
import type { Snapshot } from "../store/snapshot.ts";

/** Read access to load tests. */
export type Snapshots = Pick<Points, "snapshot">;

/**
 * Opens the current state, of requests with one outcome only if it is given; release it. Throws
 * `unknown-load-test`.
 */
export async function openSnapshot(
  points: Snapshots,
  loadTestId: string,
  outcome?: Outcome,
): Promise<Snapshot> {
  const snapshot = await points.snapshot(loadTestId);
  if (snapshot === undefined) throw unknownLoadTest(loadTestId);
  return outcome === undefined ? snapshot : snapshotOfOutcome(snapshot, outcome);
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

/** Several reads of one revision, though the load test may grow. */
export function sameMoment(snapshot: Snapshot): Snapshots {
  return { snapshot: async () => ({ ...snapshot, release: () => undefined }) };
}
