import { expect, test } from "vitest";
import { findPeak } from "./find-peak.ts";

const LOADS = Array.from({ length: 20 }, (_, index) => 10 * (index + 1));

/** The law as Gunther writes it. */
function law(load: number, contention: number, coherency: number): number {
  return (50 * load) / (1 + contention * (load - 1) + coherency * load * (load - 1));
}

/** The least whole load, in tenths, that reaches 95 % of the largest throughput of a law. */
function reached(throughputOf: (load: number) => number): { load: number; throughput: number } {
  const loads = Array.from({ length: 100_000 }, (_, index) => (index + 1) / 10);
  const most = Math.max(...loads.map(throughputOf));
  return { load: loads.find((each) => throughputOf(each) >= 0.95 * most) ?? 0, throughput: most };
}

function exact(load: number): number {
  return law(load, 0.05, 0.0001);
}

test("the largest throughput of an exact law, and where 95 % of it are reached", () => {
  const peak = findPeak(LOADS.map((load) => ({ load, throughput: exact(load) })));
  const wanted = reached(exact);
  for (const bound of ["low", "value", "high"] as const) {
    expect(Math.abs((peak?.load[bound] ?? 0) / wanted.load - 1)).toBeLessThan(0.03);
    expect(Math.abs((peak?.throughput[bound] ?? 0) / wanted.throughput - 1)).toBeLessThan(0.03);
  }
  expect(peak?.law.sharpness).toBe(1);
});

/** Four servers of 50 ms and users who think for a second, without any variation. */
function plateau(load: number): number {
  return Math.min(load / 1.05, 80);
}

test("a plateau is the same however far the load went", () => {
  for (const most of [120, 160, 200, 250]) {
    const loads = Array.from({ length: 40 }, (_, index) => ((index + 1) * most) / 40);
    const peak = findPeak(loads.map((load) => ({ load, throughput: plateau(load) })));
    expect((peak?.throughput.value ?? 0) / 80).toBeCloseTo(1, 2);
    // 79.8 users: 0.95 * 80 * 1.05.
    expect(Math.abs((peak?.load.value ?? 0) / 79.8 - 1)).toBeLessThan(0.04);
  }
});

test("measured throughput that varies widens the limits", () => {
  const levels = LOADS.map((load, index) => {
    const throughput = law(load, 0.05, 0.0001) * (index % 3 === 0 ? 1.05 : 0.98);
    return { load, throughput };
  });
  const { low, value, high } = findPeak(levels)?.throughput ?? { low: 0, value: 0, high: 0 };
  expect(low).toBeLessThan(value * 0.99);
  expect(high).toBeGreaterThan(value * 1.01);
});

test.each([10, 50])(
  "a system that is busy from %d users on is not said to be so at fewer",
  (least) => {
    const levels = LOADS.map((load, index) => ({
      load: load - 10 + least,
      throughput: 500 * (1 + (((index * 7) % 5) - 2) / 100),
    }));
    const { load, throughput } = findPeak(levels) ?? {};
    expect(load?.value).toBe(least);
    expect(load?.low).toBeCloseTo(least, 6);
    expect(load?.high).toBeCloseTo(least, 6);
    expect(throughput?.value).toBeGreaterThan(490);
    expect(throughput?.value).toBeLessThan(510);
  },
);

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
