/** For the oddest data that can be stored, results are finite, ordered and consistent. */

import * as fc from "fast-check";
import { expect, test } from "vitest";
import { batchOf, collect } from "../../../test/support/batches.ts";
import { UserError } from "../../model/errors.ts";
import type { Points } from "../../store/store.ts";
import { compareLoadTests } from "./compare-load-tests.ts";
import { ALL_ENDPOINTS } from "../../series/endpoint-selection.ts";
import { openPercentiles, readDistribution } from "../../query/read-percentiles.ts";
import { readFindings } from "../findings/read-findings.ts";
import { readHeatmap } from "../../query/read-heatmap.ts";
import { summarise } from "../../query/open-summary.ts";
import { memoryStoreWith } from "../../../test/support/stored-runs.ts";

const LAST_SECOND = 2 ** 32 - 1;
const value = fc.oneof(
  fc.constantFrom(0, 1, 127, 128, 2 ** 31, 2 ** 45, Number.MAX_SAFE_INTEGER),
  fc.nat(10_000_000),
);
const odd = fc.record({
  label: fc.constantFrom("a", "b", ""),
  second: fc.oneof(
    fc.constantFrom(0, 1, 59, 60, LAST_SECOND - 1),
    fc.integer({ min: 1_700_000_000, max: 1_700_000_090 }),
  ),
  elapsedMicros: value,
  receivedBytes: value,
  failed: fc.boolean(),
});
const query = { loadTestId: "run", selection: ALL_ENDPOINTS, range: undefined };

async function answersAbout(points: Points): Promise<readonly unknown[]> {
  const percentiles = await openPercentiles(points, {
    ...query,
    resolutionSeconds: 60,
    quantiles: [0, 0.5, 1],
    isMerged: true,
  });
  const part = { ...query, skipStartSeconds: 0, skipEndSeconds: 0 };
  const series = await collect(percentiles.series());
  percentiles.release();
  return [
    series,
    await summarise(points, { ...query, apdexMicros: 2 ** 51 }),
    await readHeatmap(points, { ...query, resolutionSeconds: 60 }),
    await readDistribution(points, query),
    await readFindings(points, query),
    await compareLoadTests(points, { base: part, later: part }),
  ];
}

test("for any stored data, results are finite numbers or the data is refused as too large", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(odd, { minLength: 1, maxLength: 40 }),
      fc.constantFrom(1, 1, 10, 3600, 65_535),
      async (samples, windowSeconds) => {
        const { points } = await memoryStoreWith();
        try {
          const batch = batchOf(samples);
          const windows = new Uint16Array(batch.points.second.length).fill(windowSeconds);
          await points.append({
            ...batch,
            points: { ...batch.points, ...(windowSeconds === 1 ? {} : { windowSeconds: windows }) },
          });
          const answers = await answersAbout(points);
          const text = JSON.stringify(answers, (_, each: unknown) =>
            typeof each === "number" && !Number.isFinite(each) ? "NOT A NUMBER" : each,
          );
          expect(text).not.toContain("NOT A NUMBER");
        } catch (error) {
          if (!(error instanceof UserError) || error.code !== "sum-too-large") throw error;
        }
      },
    ),
    { numRuns: 300 },
  );
});
