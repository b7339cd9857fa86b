/** Everything a store returns about measurements, as plain values that can be compared. */

import type { Store } from "../../src/store/store.ts";
import { ALL_SECONDS } from "../../src/model/columns.ts";
import { collect, seriesIn, snapshotOf, endpointsOf } from "./batches.ts";
import { failuresIn, usersIn } from "./details.ts";
import { viewSeries } from "../../src/model/columns.ts";
import { compareLabels } from "../../src/model/label.ts";
import { DistributionSum } from "../../src/series/distribution-sum.ts";
import { rangesByEndpoint } from "../../src/store/series.ts";
import type { Snapshot } from "../../src/store/snapshot.ts";

export async function answersOf(store: Pick<Store, "points">, loadTestId = "run") {
  const snapshot = await snapshotOf(store, loadTestId);
  snapshot.expectTotals?.();
  return answers(snapshot).finally(() => snapshot.release());
}

/** Does not close the snapshot. */
export async function answers(snapshot: Snapshot) {
  const roles = (await endpointsOf(snapshot)).map(({ label, role }) => [label, role]);
  const details = [await failuresIn(snapshot), await usersIn(snapshot)] as const;
  const measured = await snapshot.measureIndex();
  const measures = await collect(snapshot.measures(measured.series, ALL_SECONDS));
  const totals = await totalsIn(snapshot);
  return [await seriesIn(snapshot), roles, ...details, measured, measures, totals] as const;
}

/** What a summary says of each label. */
async function totalsIn(snapshot: Snapshot) {
  const index = await snapshot.index();
  const found = [];
  for await (const points of index.scan(index.numbers, ALL_SECONDS, "totals")) {
    for (const [number, { from, until }] of rangesByEndpoint(points.endpoint)) {
      const sum = new DistributionSum();
      sum.add(viewSeries(points, from, until));
      const [endpoint] = await index.named(Uint32Array.of(number));
      const { requests, failedRequests, elapsedMicros, undatedRequests, rangeSeconds } = sum;
      const counts = { requests, failedRequests, elapsedMicros, undatedRequests, rangeSeconds };
      found.push({ label: endpoint?.label, ...counts, quantiles: sum.quantiles([0, 0.5, 1]) });
    }
  }
  return found.toSorted((left, right) => compareLabels(left.label ?? "", right.label ?? ""));
}
