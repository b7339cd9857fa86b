/** Runs of one build that differ as a whole, and the verdicts of gates about them. */

import { openStoreReader } from "../../src/analysis/load-test-reader.ts";
import { prepareCheckOfPairs } from "../../src/analysis/check/check-pairs.ts";
import { prepareCheck } from "../../src/analysis/check/check-load-test.ts";
import { type Limit } from "../../src/analysis/check/limit.ts";
import { parseLimit } from "../../src/analysis/check/parse-limit.ts";
import type { ComparedPart } from "../../src/analysis/compare/compare-side.ts";
import { ALL_ENDPOINTS } from "../../src/series/endpoint-selection.ts";
import { seededRandom } from "../../bench/seeded-random.ts";
import { batchOf, type LabelledSample } from "../support/batches.ts";
import { loadTest } from "../support/load-tests.ts";
import { openMemoryStore } from "../support/memory-store/memory-store.ts";
import { changesIn } from "./compared-samples.ts";

const SECONDS = 60;
const REQUESTS_PER_SECOND = 10;
const START = 1_700_000_000;
const DAY_SECONDS = 86_400;
const USUAL_MICROS = 50_000;
/** Of the logarithm of a response time. */
const REQUEST_DEVIATION = 0.15;
/** The runs that all others are made from. */
const TEMPLATES = 50;

export interface TrialShape {
  /** Standard deviation of a run's logarithm. */
  readonly spread: number;
  /** Correlation of neighbouring runs. */
  readonly correlation: number;
  /** Factor of the last run. */
  readonly growth: number;
}

/** Whether each gate fails the last run. */
export interface TrialVerdicts {
  readonly tachograph: boolean;
  /** Whether it reports any change, up or down. */
  readonly compare: boolean;
  /** By the noise within the two runs alone. */
  readonly withoutHistory: boolean;
  readonly compareWithoutHistory: boolean;
  /** p95 5 % above the run before. */
  readonly fifthAboveBefore: boolean;
  /** p95 10 % above the average of the earlier runs, like a threshold of k6 or a JMeter plugin. */
  readonly fixed: boolean;
  readonly bencher: boolean;
}

const EARLIER = 8;

/** Student's t at 99 % with 7 degrees of freedom, from tables. */
const BENCHER_T = 2.997_952;

export function normalDeviate(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** Logarithms of the factors of runs: a first-order autoregression. */
export function levelsOf(
  runs: number,
  { spread, correlation }: TrialShape,
  random: () => number,
): readonly number[] {
  const levels = [normalDeviate(random)];
  for (let run = 1; run < runs; run++) {
    const kept = correlation * (levels.at(-1) ?? 0);
    levels.push(kept + Math.sqrt(1 - correlation ** 2) * normalDeviate(random));
  }
  return levels.map((level) => spread * level);
}

const templates = Array.from({ length: TEMPLATES }, (_, seed) => {
  const random = seededRandom(seed + 1);
  return Array.from({ length: SECONDS * REQUESTS_PER_SECOND }, () =>
    Math.exp(REQUEST_DEVIATION * normalDeviate(random)),
  );
});

/** A run of 600 requests in a minute that is slower by `factor`. */
function runSamples(night: number, factor: number, random: () => number): LabelledSample[] {
  const template = templates[Math.floor(random() * TEMPLATES)] ?? [];
  return template.map((each, index) => {
    const second = START + night * DAY_SECONDS + Math.floor(index / REQUESTS_PER_SECOND);
    const elapsedMicros = Math.round(USUAL_MICROS * factor * each);
    return { label: "GET /", second, elapsedMicros, receivedBytes: 1, failed: false };
  });
}

/** Eight runs and one after them, each checked against the one before. */
export async function tryGates(shape: TrialShape, seed: number): Promise<TrialVerdicts> {
  const random = seededRandom(seed);
  const levels = levelsOf(EARLIER + 1, shape, random);
  const store = openMemoryStore();
  const p95s: number[] = [];
  for (const [night, level] of levels.entries()) {
    const factor = Math.exp(level) * (night === EARLIER ? shape.growth : 1);
    const samples = runSamples(night, factor, random);
    p95s.push(p95Of(samples));
    for (const [series, name] of [
      ["known", "nightly"],
      ["unknown", `other-${night}`],
    ] as const) {
      if (series === "unknown" && night < EARLIER - 1) continue;
      const id = `${series}-${night}`;
      await store.loadTests.create({ ...loadTest(id), name });
      await store.points.append(batchOf(samples, { loadTestId: id }));
    }
  }
  const [known, unknown] = [await evaluateRow(store, "known"), await evaluateRow(store, "unknown")];
  const [earlier, last] = [p95s.slice(0, EARLIER), p95s[EARLIER] ?? 0];
  const average = averageOf(earlier);
  const deviation = Math.sqrt(averageOf(earlier.map((each) => (each - average) ** 2)));
  return {
    tachograph: known.fails,
    compare: known.changes,
    withoutHistory: unknown.fails,
    compareWithoutHistory: unknown.changes,
    fifthAboveBefore: last > 1.05 * (earlier.at(-1) ?? 0),
    fixed: last > 1.1 * average,
    // https://github.com/bencherdev/bencher, lib/bencher_boundary: t test with an upper boundary of 0.99.
    bencher: last > average + BENCHER_T * deviation,
  };
}

const NO_RAMPS = { skipStartSeconds: 0, skipEndSeconds: 0 };

const GROWTH = parseLimit("p95 grows > 5%") as Limit;

async function evaluateRow(store: ReturnType<typeof openMemoryStore>, series: string) {
  const part = { range: undefined, selection: ALL_ENDPOINTS, ...NO_RAMPS };
  const reader = openStoreReader(store);
  const query = {
    base: { ...part, loadTestId: `${series}-${EARLIER - 1}` },
    later: { ...part, loadTestId: `${series}-${EARLIER}` },
  };
  const check = await prepareCheck(reader, {
    ...query,
    history: undefined,
    limits: [GROWTH],
    growths: 1,
  });
  const comparison = await reader.compare(query);
  return { fails: check(GROWTH).outcome === "broken", changes: changesIn(comparison).length > 0 };
}

function p95Of(samples: readonly LabelledSample[]): number {
  const sorted = samples.map(({ elapsedMicros }) => elapsedMicros).toSorted((a, b) => a - b);
  return sorted[Math.ceil(0.95 * sorted.length) - 1] ?? 0;
}

function averageOf(values: readonly number[]): number {
  return values.reduce((sum, each) => sum + each, 0) / values.length;
}

/**
 * Whether `limit` fails for this many interleaved pairs of runs, the second slower by the growth.
 */
export async function failsPairs(
  shape: TrialShape & { readonly pairs: number; readonly limit: string },
  seed: number,
): Promise<boolean> {
  const random = seededRandom(seed);
  const store = openMemoryStore();
  const pairs: { base: ComparedPart; later: ComparedPart }[] = [];
  const part = { range: undefined, selection: ALL_ENDPOINTS, ...NO_RAMPS };
  for (const [turn, level] of levelsOf(2 * shape.pairs, shape, random).entries()) {
    const isLater = turn % 2 === 1;
    const factor = Math.exp(level) * (isLater ? shape.growth : 1);
    const loadTestId = `run-${turn}`;
    await store.loadTests.create(loadTest(loadTestId));
    await store.points.append(batchOf(runSamples(turn, factor, random), { loadTestId }));
    const base = { ...part, loadTestId: `run-${turn - 1}` };
    if (isLater) pairs.push({ base, later: { ...part, loadTestId } });
  }
  const limit = parseLimit(shape.limit) as Limit;
  const asked = { limits: [limit], count: 1 };
  const check = await prepareCheckOfPairs(openStoreReader(store), { pairs }, asked);
  return check(limit).outcome === "broken";
}
