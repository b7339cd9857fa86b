import { unknownLoadTest } from "../model/load-test.ts";
import type { Points } from "../store/store.ts";
import type { Snapshot } from "../store/snapshot.ts";

/** Where load tests are only read. */
export type Snapshots = Pick<Points, "snapshot">;

/** The load test as it is now; to be released. Throws `unknown-load-test`. */
export async function openSnapshot(points: Snapshots, loadTestId: string): Promise<Snapshot> {
  const snapshot = await points.snapshot(loadTestId);
  if (snapshot === undefined) throw unknownLoadTest(loadTestId);
  return snapshot;
}

/** See `Snapshot.revision`; `undefined` where there is no such load test. */
export async function revisionOf(
  points: Snapshots,
  loadTestId: string,
): Promise<string | undefined> {
  const snapshot = await points.snapshot(loadTestId);
  snapshot?.release();
  return snapshot?.revision;
}
