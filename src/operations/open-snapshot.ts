import { unknownLoadTest } from "../model/unknown-load-test.ts";
import type { Points, Snapshot } from "../store/store.ts";

/** The load test as it is now; to be released. Throws `unknown-load-test`. */
export async function openSnapshot(points: Points, loadTestId: string): Promise<Snapshot> {
  const snapshot = await points.snapshot(loadTestId);
  if (snapshot === undefined) throw unknownLoadTest(loadTestId);
  return snapshot;
}
