/** A load test with every kind of data, large enough that its copy takes several batches. */

import type { Store } from "../../src/store/store.ts";
import { batchOf, published } from "./batches.ts";
import { densePoints } from "./dense-points.ts";
import { active, failure } from "./details.ts";
import { measuredSeconds } from "./measures.ts";
import { loadTest } from "./load-tests.ts";
import { failureTable, userTable } from "./plain-details.ts";

const ENDPOINTS = 40;

/** Fills a new load test with a file of `seconds` seconds and a sender. */
export async function fillForCopy(
  { loadTests, points }: Store,
  loadTestId: string,
  seconds: number,
): Promise<void> {
  await loadTests.create({ ...loadTest(loadTestId), tags: ["copied", "é"], pinned: true });
  const labels = Array.from({ length: ENDPOINTS }, (_, index) => `GET /item/${index}`);
  const shape = { endpoints: ENDPOINTS, requestsPerPoint: 2, firstSecond: 1_790_000_000 };
  const file = { loadTestId, sourceId: "file", visibility: "staged" } as const;
  await points.append({
    ...batchOf([], { ...file, failures: failureTable([failure(3, "503", 5, 2)]) }),
    labels,
    roles: labels.map((_, label) => (label === 1 ? "transaction" : "unclear")),
    points: densePoints({ ...shape, seconds }),
  });
  await points.publish(published("file", loadTestId));
  await points.append({
    ...batchOf([], {
      loadTestId,
      users: userTable([active("host", 5, 9)]),
      measures: measuredSeconds(1_790_000_050, 200),
    }),
    labels,
    roles: labels.map(() => "transaction"),
    points: densePoints({ ...shape, seconds: 60 }, 2),
  });
  await loadTests.update(loadTestId, { finishedAtMs: 1_795_000_000_000 });
}
