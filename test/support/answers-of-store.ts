/** Everything a store returns about measurements, as plain values that can be compared. */

import type { Store } from "../../src/store/store.ts";
import { ALL_SECONDS } from "../../src/model/columns.ts";
import { collect, seriesIn, snapshotOf, endpointsOf } from "./batches.ts";
import { failuresIn, usersIn } from "./details.ts";
import type { Snapshot } from "../../src/store/snapshot.ts";

export async function answersOf(store: Pick<Store, "points">, loadTestId = "run") {
  const snapshot = await snapshotOf(store, loadTestId);
  return answers(snapshot).finally(() => snapshot.release());
}

/** Does not close the snapshot. */
export async function answers(snapshot: Snapshot) {
  const roles = (await endpointsOf(snapshot)).map(({ label, role }) => [label, role]);
  const details = [await failuresIn(snapshot), await usersIn(snapshot)] as const;
  const measured = await snapshot.measureIndex();
  const measures = await collect(snapshot.measures(measured.series, ALL_SECONDS));
  return [await seriesIn(snapshot), roles, ...details, measured, measures] as const;
}
