import { expect, test } from "vitest";
import { batchOf, sample } from "../../../test/support/batches.ts";
import { loadTest } from "../../../test/support/load-tests.ts";
import { openMemoryStore } from "../../../test/support/memory-store/memory-store.ts";
import { MeasureAccumulator } from "../../aggregate/measure-accumulator.ts";
import { parseMeasureSelector, isSelectorMistake } from "../../model/measures/measure-selector.ts";
import { ALL_ENDPOINTS } from "../../series/endpoint-selection.ts";
import { readTrend } from "./read-trend.ts";

const RUNS = 16;
/** The run from which host b uses a half more. */
const CHANGED = 10;
/** A run that has no measures. */
const MISSING = 4;

/** Noise without a pattern, from -1 to 1. */
const noise = (at: number): number => 2 * ((at * 0.618_033_988_7) % 1) - 1;

const levelAt = (run: number, host: string): number =>
  40 * (host === "b" && run >= CHANGED ? 1.5 : 1) * (1 + 0.03 * noise(run + 1));

async function readMeasures(selector: string) {
  const store = openMemoryStore();
  for (let run = 0; run < RUNS; run++) {
    const loadTestId = `run-${String(run).padStart(2, "0")}`;
    const start = 3600 * (run + 1);
    const measures = new MeasureAccumulator();
    for (const host of run === MISSING ? [] : ["a", "b"]) {
      const series = measures.seriesOf({
        label: undefined,
        name: "cpu",
        unit: "%",
        kind: "gauge",
        tags: [["host", host]],
      });
      for (const second of [0, 1, 2]) {
        // The average is the level, and the largest value 1 more.
        measures.add(series, 1000 * (start + second), levelAt(run, host) + second - 1);
      }
    }
    await store.loadTests.create({ ...loadTest(loadTestId), name: "nightly" });
    await store.points.append(
      batchOf([sample("a", start)], { loadTestId, measures: measures.take() }),
    );
  }
  const parsed = parseMeasureSelector(selector);
  if (isSelectorMistake(parsed)) throw new Error(parsed.message);
  const ramps = { skipStartSeconds: 0, skipEndSeconds: 0 };
  const query = {
    name: "nightly",
    last: 100,
    selection: ALL_ENDPOINTS,
    selector: parsed,
    ...ramps,
  };
  const first = await readTrend(store, query);
  // What is stored after the first reading is the same.
  expect((await readTrend(store, query)).measures).toEqual(first.measures);
  return first.measures ?? [];
}

const rounded = (values: readonly (number | null)[] = []) =>
  values.map((value) => (value === null ? null : Number(value.toFixed(9))));

const runs = (valueOf: (run: number) => number) =>
  rounded(Array.from({ length: RUNS }, (_, run) => (run === MISSING ? null : valueOf(run))));

test("each series has its values, gaps and changes", async () => {
  const [ofA, ofB] = await readMeasures("cpu by host");
  expect(ofA).toMatchObject({ tags: { host: "a" }, changes: [] });
  expect(rounded(ofA?.mean)).toEqual(runs((run) => levelAt(run, "a")));
  expect(rounded(ofB?.max)).toEqual(runs((run) => levelAt(run, "b") + 1));
  expect(ofA?.count).toEqual(runs(() => 3));
  const changed = { loadTestId: "run-10", verdict: "worse" };
  expect(ofB).toMatchObject({
    tags: { host: "b" },
    changes: [
      { ...changed, statistic: "mean" },
      { ...changed, statistic: "max" },
    ],
  });
  expect(ofB?.changes[0]?.change).toBeCloseTo(0.5, 1);
});

test("without a tag both series are one, and an unknown name has none", async () => {
  const [both] = await readMeasures("cpu");
  expect(both?.tags).toEqual({});
  expect(both?.mean?.[0]).toBeCloseTo((levelAt(0, "a") + levelAt(0, "b")) / 2, 9);
  expect(await readMeasures("other")).toEqual([]);
});
