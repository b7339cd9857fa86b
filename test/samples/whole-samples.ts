import { openSnapshot } from "../../src/series/open-snapshot.ts";
import type { Points } from "../../src/store/store.ts";
import type { IndependentSample } from "../independent/read-results.mjs";
import { LOAD_TEST_ID } from "./import-and-read.ts";
import { endpointsOf } from "../support/batches.ts";

type Samples = readonly IndependentSample[];

/**
 * Returns a filter for the samples that count towards overall statistics: all but transactions and
 * sub-results, unless there is nothing else. The roles are those of the load test's endpoints.
 */
export async function wholeBy(points: Points): Promise<(samples: Samples) => Samples> {
  const snapshot = await openSnapshot(points, LOAD_TEST_ID);
  const endpoints = await endpointsOf(snapshot);
  snapshot.release();
  const derived = new Set(
    endpoints.filter(({ role }) => role !== undefined).map(({ label }) => label),
  );
  return (samples) => {
    const requests = samples.filter(({ label }) => !derived.has(label));
    return requests.length === 0 ? samples : requests;
  };
}
