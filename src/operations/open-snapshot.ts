import { UserError } from "../model/errors.ts";
import type { Points, Snapshot } from "../store/store.ts";

/** The load test as it is now; to be released. Throws `unknown-load-test`. */
export async function openSnapshot(points: Points, loadTestId: string): Promise<Snapshot> {
  const snapshot = await points.snapshot(loadTestId);
  if (snapshot !== undefined) return snapshot;
  const id = JSON.stringify(loadTestId.slice(0, 128));
  throw new UserError("unknown-load-test", `no load test has the id ${id}`);
}
