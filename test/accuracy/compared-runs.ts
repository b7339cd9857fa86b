/** Comparisons of simulated runs, none of which has changed, and of the same runs made slower. */

import type { Verdict } from "../../src/api/compare.ts";
import { compareLoadTests } from "../../src/analysis/compare/compare-load-tests.ts";
import { ALL_ENDPOINTS } from "../../src/series/endpoint-selection.ts";
import { batchOf } from "../support/batches.ts";
import { loadTest } from "../support/load-tests.ts";
import { openMemoryStore } from "../support/memory-store/memory-store.ts";
import { changesIn, slowedBy } from "./compared-samples.ts";
import { type RunShape, simulatedRun, type SimulationName } from "./simulated-runs.ts";

/** Which a verdict of `unchanged` excludes: a shift of 5 %. */
export const EXCLUDED = 1.0501;

export interface PairShape extends Omit<RunShape, "seed"> {
  readonly simulation: SimulationName;
  /** Of the later run. @default as the base */
  readonly later?: Partial<Omit<RunShape, "seed">>;
}

export interface ComparedPair {
  /** By the factor on the response times of the later run. */
  readonly verdicts: Readonly<Record<number, Verdict>>;
  /** Whether any endpoint of the runs as they are is slower or faster, or fails otherwise. */
  readonly isAnyFalse: boolean;
  /** Of the runs as they are: logarithm of the factor, only noise. */
  readonly shift: number;
}

/** Simulates a pair of runs and compares them as they are, and with the later one slower by each factor. */
export async function comparePair(
  { simulation, later, ...shape }: PairShape,
  factors: readonly number[],
  seed: number,
): Promise<ComparedPair> {
  const store = openMemoryStore();
  const base = simulatedRun(simulation, { ...shape, seed });
  const compared = simulatedRun(simulation, { ...shape, ...later, seed: seed + 10_000 });
  const runs = [
    ["base", base] as const,
    ...[...new Set([1, ...factors])].map(
      (factor) => [`${factor}`, slowedBy(factor, compared)] as const,
    ),
  ];
  for (const [loadTestId, samples] of runs) {
    await store.loadTests.create(loadTest(loadTestId));
    await store.points.append(batchOf(samples, { loadTestId }));
  }
  const part = {
    range: undefined,
    selection: ALL_ENDPOINTS,
    skipStartSeconds: 0,
    skipEndSeconds: 0,
  };
  const compareAt = (factor: number) =>
    compareLoadTests(store.points, {
      base: { ...part, loadTestId: "base" },
      later: { ...part, loadTestId: `${factor}` },
    });
  const unchanged = await compareAt(1);
  const verdicts: Record<number, Verdict> = { 1: unchanged.overall.verdict };
  for (const factor of factors) verdicts[factor] = (await compareAt(factor)).overall.verdict;
  const ofEndpoints = changesIn(unchanged).filter((each) => !each.startsWith("(all)"));
  const shift = Math.log1p(unchanged.overall.shift.change ?? 0);
  return { verdicts, isAnyFalse: ofEndpoints.length > 0, shift };
}
