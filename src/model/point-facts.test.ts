import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type PlainSample, pointsOf, samplesArbitrary } from "../../test/support/plain-points.ts";
import { KernelAggregator } from "../aggregate/kernel-aggregator.ts";
import { createSampleBatch, type SampleBatch } from "./sample-batch.ts";
import { endpointsOfRuns, factsOf, type PointFacts } from "./point-facts.ts";

test("facts are those of the samples, whether the aggregate or a walk over the points finds them", () => {
  fc.assert(
    fc.property(samplesArbitrary, (samples) => {
      const points = pointsOf(samples);
      const wanted = plainFacts(samples);
      expect(factsOf(points)).toEqual(wanted.facts);
      expect([...endpointsOfRuns(points, factsOf(points).runs)]).toEqual(wanted.endpoints);
      const aggregator = new KernelAggregator();
      aggregator.record(batchOf(samples));
      expect(factsOf(aggregator.flush())).toEqual(wanted.facts);
    }),
  );
});

test("a copy with another column has other facts", () => {
  const sample = { endpoint: 0, second: 7, elapsedMicros: 1, receivedBytes: 1, failed: false };
  const points = pointsOf([sample]);
  expect(factsOf(points).requests).toBe(1);
  expect(factsOf({ ...points, requests: Float64Array.of(5) }).requests).toBe(5);
});

function plainFacts(samples: readonly PlainSample[]) {
  const endpoints = [...new Set(samples.map(({ endpoint }) => endpoint))].toSorted((a, b) => a - b);
  const seconds = samples.map(({ second }) => second).filter((second) => second > 0);
  const failed = samples.filter((sample) => sample.failed);
  const of = (all: readonly PlainSample[]) =>
    Float64Array.from(endpoints, (each) => all.filter((own) => own.endpoint === each).length);
  const points = (wanted: (endpoint: number) => boolean) =>
    new Set(
      samples.flatMap(({ endpoint, second }) =>
        wanted(endpoint) ? [`${endpoint} ${second}`] : [],
      ),
    ).size;
  const facts: PointFacts = {
    requests: samples.length,
    failedRequests: failed.length,
    distributed: samples.length,
    firstSecond: seconds.length === 0 ? undefined : Math.min(...seconds),
    lastSecond: seconds.length === 0 ? undefined : Math.max(...seconds),
    runs: {
      from: Uint32Array.from([...endpoints, Infinity], (end) => points((each) => each < end)),
      requests: of(samples),
      failedRequests: of(failed),
    },
  };
  return { facts, endpoints };
}

function batchOf(samples: readonly PlainSample[]): SampleBatch {
  const batch = createSampleBatch();
  for (const { endpoint, second, elapsedMicros, receivedBytes, failed } of samples) {
    const row = batch.rows++;
    batch.label[row] = endpoint;
    batch.second[row] = second;
    batch.elapsedMicros[row] = elapsedMicros;
    batch.receivedBytes[row] = receivedBytes;
    batch.requests[row] = 1;
    batch.failedRequests[row] = failed ? 1 : 0;
  }
  return batch;
}
