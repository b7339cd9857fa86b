import { readFindings } from "../../src/analysis/findings/read-findings.ts";
import { ALL_ENDPOINTS } from "../../src/series/endpoint-selection.ts";
import type { OmissionFinding } from "../../src/api/findings.ts";
import { firstOf } from "./anomalies.ts";
import { batchOf } from "./batches.ts";
import { loadTest } from "./load-tests.ts";
import { openMemoryStore } from "./memory-store/memory-store.ts";
import type { Simulated } from "./simulated-load.ts";

/** Simulated runs begin at this second. */
export const START = 1_700_000_000;

/** What is found in a simulated run. */
export async function omissionOf({ requests }: Simulated): Promise<OmissionFinding | undefined> {
  const store = openMemoryStore();
  await store.loadTests.create(loadTest("run"));
  const samples = requests.map(({ label, begin, end }) => ({
    label,
    second: START + Math.floor(begin),
    elapsedMicros: Math.round((end - begin) * 1_000_000),
    receivedBytes: 1,
    failed: false,
  }));
  await store.points.append(batchOf(samples));
  const query = { loadTestId: "run", selection: ALL_ENDPOINTS, range: undefined };
  return firstOf(await readFindings(store.points, query), "omission");
}
