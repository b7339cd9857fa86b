/**
 * Compares failures by kind, as returned for a part of a load test, with the requests themselves.
 */

import type { EndpointSelection } from "../../src/series/endpoint-selection.ts";
import { readFailures } from "../../src/query/read-failures.ts";
import type { Points } from "../../src/store/store.ts";
import type { IndependentSample } from "../independent/read-results.mjs";
import { LOAD_TEST_ID } from "./import-and-read.ts";

interface FailurePart {
  readonly selection: EndpointSelection;
  readonly range: { readonly from: number; readonly until: number } | undefined;
  readonly samples: readonly IndependentSample[];
}

/** One line for each endpoint whose failures, or those of any kind, have a wrong count. */
export async function failureDifferences(
  points: Points,
  { selection, range, samples }: FailurePart,
): Promise<string[]> {
  const { endpoints } = await readFailures(points, { loadTestId: LOAD_TEST_ID, selection, range });
  const failing = Map.groupBy(
    samples.filter(({ failed }) => failed > 0n),
    ({ label }) => label,
  );
  const got = endpoints.map(({ label }) => label).toSorted();
  if (got.join("\n") !== [...failing.keys()].toSorted().join("\n")) {
    return [`failures of ${JSON.stringify(got)}, expected ${JSON.stringify([...failing.keys()])}`];
  }
  return endpoints.flatMap(({ label, errCount, withoutKind, kinds }) => {
    const own = failing.get(label) ?? [];
    const failed = own.reduce((sum, each) => sum + Number(each.failed), 0);
    const named = own.flatMap((each) => each.kinds ?? []);
    const ofKinds = named.reduce((sum, { requests }) => sum + Number(requests), 0);
    const told = kinds.reduce((sum, { count }) => sum + count, 0);
    const largest = Math.max(0, ...countsOf(named).values());
    const isEqual =
      errCount === failed &&
      told === ofKinds &&
      withoutKind === Math.max(0, failed - ofKinds) &&
      (kinds[0]?.count ?? 0) === largest;
    return isEqual ? [] : [`failures of ${label}: ${errCount}, of kinds ${told}`];
  });
}

function countsOf(
  kinds: readonly { readonly code: string; readonly message: string; readonly requests: bigint }[],
): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { code, message, requests } of kinds) {
    const key = JSON.stringify([code, message]);
    counts.set(key, (counts.get(key) ?? 0) + Number(requests));
  }
  return counts;
}
