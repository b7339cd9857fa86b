import { expect, test } from "vitest";
import { findPeak } from "./find-peak.ts";

const LOADS = Array.from({ length: 20 }, (_, index) => 10 * (index + 1));

/** The law as Gunther writes it. */
function law(load: number, contention: number, coherency: number): number {
  return (50 * load) / (1 + contention * (load - 1) + coherency * load * (load - 1));
}

test("the peak of an exact law is where its derivative is 0", () => {
  const levels = LOADS.map((load) => ({ load, throughput: law(load, 0.05, 0.0001) }));
  const peak = findPeak(levels);
  const load = Math.sqrt((1 - 0.05) / 0.0001);
  for (const bound of ["low", "value", "high"] as const) {
    expect(peak?.load[bound]).toBeCloseTo(load, 4);
    expect(peak?.throughput[bound]).toBeCloseTo(law(load, 0.05, 0.0001), 4);
  }
  expect(peak?.law.rateOfOne).toBeCloseTo(50, 4);
  expect(peak?.law.contention).toBeCloseTo(0.05, 6);
  expect(peak?.law.coherency).toBeCloseTo(0.0001, 8);
});

test("measured throughput that varies widens the limits", () => {
  const levels = LOADS.map((load, index) => {
    const throughput = law(load, 0.05, 0.0001) * (index % 3 === 0 ? 1.05 : 0.98);
    return { load, throughput };
  });
  const { low, value, high } = findPeak(levels)?.throughput ?? { low: 0, value: 0, high: 0 };
  expect(low).toBeLessThan(value * 0.995);
  expect(high).toBeGreaterThan(value * 1.005);
});

test.each([
  ["that grows evenly", 0, 0],
  ["that approaches a limit", 0.05, 0],
  ["whose peak would come at a load three times as large", 0.05, 0.000_002_6],
])("throughput %s has no peak", (_, contention, coherency) => {
  const levels = LOADS.map((load) => ({ load, throughput: law(load, contention, coherency) }));
  expect(findPeak(levels)).toBeUndefined();
});

test("four levels are too few", () => {
  const levels = [50, 100, 150, 200].map((load) => ({ load, throughput: law(load, 0, 0.0001) }));
  expect(findPeak(levels)).toBeUndefined();
  expect(findPeak([{ load: 10, throughput: law(10, 0, 0.0001) }, ...levels])).toBeDefined();
});
