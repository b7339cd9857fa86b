import { ALL_ENDPOINTS } from "../../src/series/endpoint-selection.ts";
import { type Findings, readFindings } from "../../src/analysis/findings/read-findings.ts";
import { openMemoryStore } from "../support/memory-store/memory-store.ts";
import { batchOf, type LabelledSample } from "../support/batches.ts";
import { loadTest } from "../support/load-tests.ts";

/** The findings of a load test with these samples. */
export async function foundIn(samples: readonly LabelledSample[]): Promise<Findings> {
  const store = openMemoryStore();
  await store.loadTests.create(loadTest("run"));
  await store.points.append(batchOf(samples));
  const query = { loadTestId: "run", selection: ALL_ENDPOINTS, range: undefined };
  return readFindings(store.points, query);
}
