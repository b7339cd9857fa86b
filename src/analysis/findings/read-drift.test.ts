import { expect, test } from "vitest";
import { batchOf, sample } from "../../../test/support/batches.ts";
import { memoryStoreWith } from "../../../test/support/stored-runs.ts";
import { ALL_ENDPOINTS } from "../../series/endpoint-selection.ts";
import { downsample } from "../../store/downsample.ts";
import { readFindings } from "./read-findings.ts";

const START = 1_700_000_040;

// Five requests a second, which take 100 ms at first and 250 ms at the end. A thirtieth of 660 s is 22 s, one of 45 minutes 90 s.
test.each([
  [660, 1],
  [660, 10],
  [2700, 1],
  [2700, 60],
])("a slow rise in %d seconds is found in points of %d s", async (seconds, pointSeconds) => {
  const samples = Array.from({ length: seconds * 5 }, (_, at) => {
    const varied = 0.9 + 0.2 * (((at * 7919) % 100) / 100);
    return sample(
      "a",
      START + Math.floor(at / 5),
      Math.round(1000 * (100 + (30 * at) / seconds) * varied),
    );
  });
  const batch = batchOf(samples);
  const within = { firstSecond: START, lastSecond: START + seconds - 1 };
  const points = downsample(batch.points, { windowSeconds: pointSeconds, ...within });
  const store = await memoryStoreWith({ ...batch, points });
  const query = { loadTestId: "run", selection: ALL_ENDPOINTS, range: undefined };
  const { incidents } = await readFindings(store.points, query);
  const kinds = incidents.flatMap(({ findings }) => findings.map(({ kind }) => kind));
  expect(kinds).toEqual(["drift"]);
});
