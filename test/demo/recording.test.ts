import { expect, test } from "vitest";
import { figuresOf, sortedMicros } from "../independent/answers.mjs";
import { readResults } from "../independent/read-results.mjs";
import { neighboursOf, percentilesOf, readRecording, readStatistics } from "./recording.ts";

const samples = readResults(readRecording())?.samples ?? [];
const byLabel = Map.groupBy(samples, ({ label }) => label);
const statistics = [...readStatistics()].filter(([label]) => label !== "Total");

test("the recording is a load test worth showing", () => {
  const seconds = samples.map(({ second }) => Number(second));
  expect(byLabel.size).toBeGreaterThanOrEqual(7);
  expect(Math.max(...seconds) - Math.min(...seconds)).toBeGreaterThanOrEqual(300);
  const failed = samples.filter((sample) => sample.failed > 0n).length;
  expect(failed / samples.length).toBeGreaterThan(0.01);
});

test("JMeter reports the labels that an independent reader finds", () => {
  expect(statistics.map(([label]) => label).toSorted()).toEqual([...byLabel.keys()].toSorted());
});

test.each(statistics)("JMeter's figures of %s are those of an independent reader", (label, own) => {
  const figures = figuresOf(byLabel.get(label) ?? []);
  expect(figures).toEqual({
    count: own.sampleCount,
    errors: own.errorCount,
    avgMs: expect.closeTo(own.meanResTime, 9),
    minMs: own.minResTime,
    maxMs: own.maxResTime,
  });
});

test.each(statistics)("JMeter interpolates the percentiles of %s between ranks", (label, own) => {
  const sorted = sortedMicros(byLabel.get(label) ?? []);
  for (const { q, ms } of percentilesOf(own)) {
    expect(neighboursOf(sorted, q).interpolated / 1000).toBeCloseTo(ms, 6);
  }
});
