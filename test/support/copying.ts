/** Copies load tests between stores and reads back everything that readers see of them. */

import type { CopiedLoadTest, CopyStores } from "../../src/copy/copy-load-test.ts";
import {
  copyLoadTests,
  type CopyOutcome,
  type CopyRequest,
} from "../../src/copy/copy-load-tests.ts";
import type { Snapshot } from "../../src/store/snapshot.ts";
import type { Store } from "../../src/store/store.ts";
import { collect, seriesIn, snapshotOf, endpointsOf } from "./batches.ts";
import { failuresIn, usersIn } from "./details.ts";
import { labelledMeasures } from "./measures.ts";

type CopyOptions = Partial<
  CopyRequest & Pick<CopyStores, "progress" | "interrupted" | "batchRows">
> & {
  readonly now?: number;
};

/** Copies all load tests, running ones included, unless `options` overrides it. */
export function copy(
  from: Store,
  to: CopyStores["to"],
  options: CopyOptions = {},
): Promise<CopyOutcome[]> {
  const { ids, evenRunning = true, now = Date.now(), ...rest } = options;
  const { signal: interrupted } = new AbortController();
  // What tests have changed of a store is changed in its only scope, too.
  const only = { from: { ...from, within: () => from }, to: { ...to, within: () => to } };
  const stores = { ...only, now: () => now, progress: () => undefined, interrupted, ...rest };
  return collect(copyLoadTests({ ids, evenRunning }, stores));
}

/** Everything readers see of a load test, merged over its sources. */
export async function answersOf(store: Store, loadTestId = "run") {
  const snapshot = await snapshotOf(store, loadTestId);
  const found = {
    loadTest: snapshot.loadTest,
    roles: (await endpointsOf(snapshot)).map(({ label, role }) => [label, role]),
    series: await seriesIn(snapshot),
    failures: await failuresIn(snapshot),
    users: await usersIn(snapshot),
    measures: await measuresByLabel(snapshot),
  };
  snapshot.release();
  const { endpoints, requests, failedRequests, from, until } =
    (await store.loadTests.find(loadTestId)) ?? {};
  return { ...found, endpoints, requests, failedRequests, from, until };
}

/** Endpoints may have other numbers in a copy. */
async function measuresByLabel(snapshot: Snapshot) {
  const labels = (await endpointsOf(snapshot)).map(({ label }) => label).toSorted();
  return labelledMeasures(snapshot, labels);
}

/** The result of the first load test; `undefined` if it was skipped. */
export function copiedOf([outcome]: readonly CopyOutcome[]): CopiedLoadTest | undefined {
  if (outcome === undefined || !("copied" in outcome.result)) return undefined;
  return outcome.result.copied;
}
