/** Runs of one build whose measures differ as a whole, and the verdicts of thresholds about them. */

import { seededRandom } from "../../bench/seeded-random.ts";
import { MeasureAccumulator } from "../../src/aggregate/measure-accumulator.ts";
import type { CheckedLimit, Limit } from "../../src/analysis/check/limit.ts";
import { parseLimit } from "../../src/analysis/check/parse-limit.ts";
import { openStoreReader } from "../../src/analysis/load-test-reader.ts";
import { checkThresholds } from "../../src/analysis/thresholds/check-thresholds.ts";
import { type MeasureTable, NO_MEASURES } from "../../src/model/measures/measure-table.ts";
import { ALL_ENDPOINTS } from "../../src/series/endpoint-selection.ts";
import { batchOf, sample } from "../support/batches.ts";
import { loadTest } from "../support/load-tests.ts";
import { openMemoryStore } from "../support/memory-store/memory-store.ts";
import { levelsOf, normalDeviate, type TrialShape } from "./gate-trials.ts";

const EARLIER = 8;
const SECONDS = 60;
const START = 1_700_000_000;
const DAY_SECONDS = 86_400;

const LIMITS = ["cpu: avg", "ttft: p95", "tokens: rate"].map(
  (about) => parseLimit(`measure ${about} grows > 5%`) as Limit,
);

const PART = { range: undefined, selection: ALL_ENDPOINTS, skipStartSeconds: 0, skipEndSeconds: 0 };

/** Whether each threshold fails the last of nine runs, checked against the one before. */
export async function tryMeasures(shape: TrialShape, seed: number): Promise<readonly boolean[]> {
  const random = seededRandom(seed);
  const store = openMemoryStore();
  for (const [night, level] of levelsOf(EARLIER + 1, shape, random).entries()) {
    const factor = Math.exp(level) * (night === EARLIER ? shape.growth : 1);
    const start = START + night * DAY_SECONDS;
    const id = `run-${night}`;
    await store.loadTests.create({ ...loadTest(id), name: "nightly" });
    const measures = measuresOf(start, factor, random);
    const samples = [sample("GET /", start), sample("GET /", start + SECONDS - 1)];
    await store.points.append(batchOf(samples, { loadTestId: id, measures }));
  }
  const query = {
    base: { ...PART, loadTestId: `run-${EARLIER - 1}` },
    later: { ...PART, loadTestId: `run-${EARLIER}` },
    history: undefined,
  };
  const fails: boolean[] = [];
  // Each by itself: thresholds of one check share their probability of a false failure.
  for (const limit of LIMITS) {
    await checkThresholds(
      openStoreReader(store),
      { ...query, limits: [limit] },
      ({ outcome }: CheckedLimit) => void fails.push(outcome === "broken"),
    );
  }
  return fails;
}

/** Every second CPU in percent, ten times to the first token, and a count of tokens. */
function measuresOf(start: number, factor: number, random: () => number): MeasureTable {
  const measures = new MeasureAccumulator();
  const series = (name: string, kind: "gauge" | "distribution" | "counter", unit: string) =>
    measures.seriesOf({ label: undefined, name, unit, kind, tags: [] });
  const [cpu, ttft, tokens] = [
    series("cpu", "gauge", "%"),
    series("ttft", "distribution", "ms"),
    series("tokens", "counter", ""),
  ];
  const around = (usual: number, deviation: number): number =>
    usual * factor * Math.exp(deviation * normalDeviate(random));
  for (let second = 0; second < SECONDS; second++) {
    const atMs = (start + second) * 1000;
    measures.add(cpu, atMs, around(40, 0.1));
    for (let each = 0; each < 10; each++) measures.add(ttft, atMs, around(200, 0.15));
    measures.add(tokens, atMs, Math.round(around(1000, 0.1)));
  }
  return measures.take() ?? NO_MEASURES;
}
