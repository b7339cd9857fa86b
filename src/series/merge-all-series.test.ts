import { expect, test } from "vitest";
import { type PlainSample, pointsOf } from "../../test/support/plain-points.ts";
import type { DataPoints } from "../model/data-points.ts";
import { mergeAllSeries, mergeAllSums } from "./merge-all-series.ts";

/** A sample of each of so many endpoints, and of every tenth one nothing. */
function samplesOf(endpoints: number): readonly (readonly PlainSample[])[] {
  return Array.from({ length: endpoints }, (_, number) => {
    const sample = { endpoint: 0, second: 100 + (number % 7), receivedBytes: number };
    const own = { ...sample, elapsedMicros: 1000 * (number % 31), failed: number % 3 === 0 };
    return number % 10 === 9 ? [] : [own];
  });
}

async function* seriesOf(samples: readonly (readonly PlainSample[])[]) {
  for (const own of samples) yield { columns: withoutEndpoint(pointsOf(own)) };
}

function withoutEndpoint(points: DataPoints) {
  const { endpoint: _, outcomes: __, ...columns } = points;
  return columns;
}

test.each([0, 1, 15, 16, 17, 40, 1000])("%d series are merged without loss", async (count) => {
  const samples = samplesOf(count);
  const expected = withoutEndpoint(pointsOf(samples.flat()));
  expect(await mergeAllSeries(seriesOf(samples))).toEqual(expected);
  const { second, requests, elapsedMicros, failedRequests } = expected;
  const sums = await mergeAllSums(seriesOf(samples));
  expect(sums).toMatchObject({ second, requests, elapsedMicros, failedRequests });
});
