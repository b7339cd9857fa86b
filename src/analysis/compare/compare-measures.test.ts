import { expect, test } from "vitest";
import { batchOf, sample } from "../../../test/support/batches.ts";
import { loadTest } from "../../../test/support/load-tests.ts";
import { openMemoryStore } from "../../../test/support/memory-store/memory-store.ts";
import { MeasureAccumulator } from "../../aggregate/measure-accumulator.ts";
import type { MeasureKind } from "../../model/measures/measure-table.ts";
import { ALL_ENDPOINTS } from "../../series/endpoint-selection.ts";
import { compareWithEarlier } from "./compare-with-earlier.ts";
import { selectEarlier } from "./earlier-runs.ts";

const SECONDS = 120;

interface Measured {
  readonly name: string;
  readonly kind: MeasureKind;
  readonly unit?: string;
  readonly host?: string;
  readonly valueAt: (second: number) => number;
}

/** Runs of one name, an hour apart, each of two minutes. */
async function storeWith(runs: readonly (readonly Measured[])[], lastSeconds = SECONDS) {
  const store = openMemoryStore();
  for (const [at, measures] of runs.entries()) {
    const start = 3600 * (at + 1);
    const values = new MeasureAccumulator();
    for (const { name, kind, unit = "", host, valueAt } of measures) {
      const tags = host === undefined ? [] : ([["host", host]] as const);
      const series = values.seriesOf({ label: undefined, name, unit, kind, tags });
      for (let second = 0; second < SECONDS; second++) {
        values.add(series, 1000 * (start + second), valueAt(second));
      }
    }
    const loadTestId = `run-${at}`;
    await store.loadTests.create({ ...loadTest(loadTestId), name: "nightly" });
    const seconds = at === runs.length - 1 ? lastSeconds : SECONDS;
    const samples = Array.from({ length: seconds }, (_, second) => sample("a", start + second));
    await store.points.append(batchOf(samples, { loadTestId, measures: values.take() }));
  }
  return store;
}

const part = (loadTestId: string) => ({
  loadTestId,
  selection: ALL_ENDPOINTS,
  range: undefined,
  skipStartSeconds: 0,
  skipEndSeconds: 0,
});

async function compared(
  runs: readonly (readonly Measured[])[],
  base: number,
  selector?: string[],
  lastSeconds?: number,
) {
  const store = await storeWith(runs, lastSeconds);
  const query = {
    base: part(`run-${base}`),
    later: part(`run-${runs.length - 1}`),
    ...(selector && { selector: { name: "cpu", matches: [], by: selector } }),
  };
  const earlier = await selectEarlier(store, query);
  return (await compareWithEarlier(store, query, earlier)).measures ?? [];
}

/** Noise without a pattern: fractional parts of multiples of the golden ratio, from -1 to 1. */
const noise = (at: number): number => 2 * ((at * 0.618_033_988_7) % 1) - 1;

const cpu = (level: number, host?: string): Measured => ({
  name: "cpu",
  kind: "gauge",
  unit: "%",
  valueAt: (second) => level * (1 + 0.05 * noise(second)),
  ...(host !== undefined && { host }),
});

const of = (name: string, level: number): Measured => ({ ...cpu(level), name });

const checks = (failing: number): Measured => ({
  name: "checks",
  kind: "rate",
  valueAt: (second) => (second % failing === 0 ? 0 : 1),
});

const orders = (each: number): Measured => ({
  name: "orders",
  kind: "counter",
  valueAt: (second) => each + (second % 2),
});

const hosts = (level: number) => [cpu(50, "a"), cpu(level, "b")];

const once = (level: number): Measured => ({
  ...cpu(level),
  valueAt: (at) => (at < 2 ? level : NaN),
});

/** Nights whose level varies by 4 %. */
const nights = (count: number) =>
  Array.from({ length: count }, (_, at) => [cpu(50 * (1 + 0.04 * noise(at + 1)))]);

test("within noise between runs nothing is worse, and beyond it CPU is", async () => {
  const [within] = await compared([...nights(8), [cpu(53)]], 7);
  expect(within).toMatchObject({ verdict: "inconclusive", worse: "higher" });
  expect(within?.mean?.betweenRuns?.loadTests).toBe(8);
  const [beyond] = await compared([...nights(8), [cpu(75)]], 7);
  expect(beyond).toMatchObject({ verdict: "worse", mean: { isSignificant: true } });
  // 53 alone would be worse by what varies within the two runs.
  const [alone] = await compared([[cpu(50)], [cpu(53)]], 0);
  expect(alone?.verdict).toBe("worse");
  expect(alone?.mean?.change).toBeCloseTo(0.06, 5);
  expect(alone?.mean).not.toHaveProperty("betweenRuns");
});

test("a change is worse or better by the direction of its measure, and only a change where the direction is unknown", async () => {
  const names = ["cache_hit_ratio", "queue_depth", "temperature"];
  const rows = await compared(
    [names.map((name) => of(name, 50)), names.map((name) => of(name, 40))],
    0,
  );
  expect(rows.map(({ name, verdict }) => [name, verdict])).toEqual([
    ["cache_hit_ratio", "worse"],
    ["temperature", "changed"],
    ["queue_depth", "better"],
  ]);
});

test("shares differ by points, counters by their rate, and what one run lacks is new or gone", async () => {
  const rows = await compared(
    [
      [checks(40), orders(5), cpu(1)],
      [checks(2), orders(5), { ...cpu(1), name: "added" }],
    ],
    0,
  );
  const found = Object.fromEntries(rows.map((row) => [row.name, row]));
  // 3 of 120 fail, and 60 of 120.
  expect(found["checks"]).toMatchObject({ verdict: "worse", mean: { base: 0.975, value: 0.5 } });
  expect(found["checks"]?.mean?.change).toBeCloseTo(-0.475, 9);
  expect(found["orders"]).toMatchObject({ verdict: "unchanged", rate: { base: 5.5, value: 5.5 } });
  expect([found["cpu"]?.verdict, found["added"]?.verdict]).toEqual(["gone", "new"]);
});

test("a selector compares series apart, and too few values are said", async () => {
  const rows = await compared([hosts(50), hosts(80)], 0, ["host"]);
  expect(rows.map(({ tags, verdict }) => [tags["host"], verdict])).toEqual([
    ["b", "worse"],
    ["a", "unchanged"],
  ]);
  const [few] = await compared([[once(50)], [once(90)]], 0);
  expect(few).toMatchObject({
    verdict: "inconclusive",
    reason: expect.stringContaining("too few"),
  });
  const zero = await compared([[cpu(0)], [cpu(3)]], 0);
  expect(zero[0]?.reason).toContain("no ratio");
});

test("the same count in ten times the time is not the same", async () => {
  const iterations: Measured = { name: "iterations", kind: "counter", valueAt: () => 1 };
  const [measure] = await compared([[iterations], [iterations]], 0, undefined, 10 * SECONDS);
  expect(measure).toMatchObject({ rate: { base: 1, value: 0.1 } });
  expect(measure?.verdict).toBe("inconclusive");
});

test("without measures there is no table of them", async () => {
  expect(await compared([[], []], 0)).toEqual([]);
});
