/** Samples of real recordings, halves of them, and comparisons of two sets of samples. */

import type { LoadTestComparison } from "../../src/api/compare.ts";
import { compareLoadTests } from "../../src/analysis/compare/compare-load-tests.ts";
import type { ComparedPart } from "../../src/analysis/compare/compare-side.ts";
import { ALL_ENDPOINTS } from "../../src/series/endpoint-selection.ts";
import { openMemoryStore } from "../support/memory-store/memory-store.ts";
import { readResults } from "../independent/read-results.mjs";
import { batchOf, type LabelledSample } from "../support/batches.ts";
import { loadTest } from "../support/load-tests.ts";

/** The samples of a recording, read by the independent reader; empty for unknown formats. */
export function samplesOf(bytes: Uint8Array): LabelledSample[] {
  return (readResults(bytes)?.samples ?? []).map((each) => ({
    label: each.label,
    second: Number(each.second),
    elapsedMicros: Number(each.micros),
    receivedBytes: Number(each.bytes),
    failed: each.failed > 0n,
  }));
}

/** Ways to split samples, by name. */
export const SPLITTERS = {
  /** Each sample independently. */
  requests: (random: () => number) => () => random() < 0.5,
  /** All samples of the same five seconds. */
  stretches: (random: () => number) => {
    const halves = new Map<number, boolean>();
    return ({ second }: LabelledSample) => {
      const stretch = Math.floor(second / 5);
      const half = halves.get(stretch) ?? random() < 0.5;
      halves.set(stretch, half);
      return half;
    };
  },
  /** Even and odd stretches of the same 3 to 12 seconds. */
  alternating: (random: () => number) => {
    const seconds = 3 + Math.floor(random() * 10);
    const shift = Math.floor(random() * 2 * seconds);
    return ({ second }: LabelledSample) => Math.floor((second + shift) / seconds) % 2 === 0;
  },
} satisfies Record<string, (random: () => number) => (sample: LabelledSample) => boolean>;

export interface Halves {
  readonly first: readonly LabelledSample[];
  readonly second: readonly LabelledSample[];
}

export function halvesOf(
  samples: readonly LabelledSample[],
  isFirst: (sample: LabelledSample) => boolean,
): Halves {
  const halves = Map.groupBy(samples, isFirst);
  return { first: halves.get(true) ?? [], second: halves.get(false) ?? [] };
}

export function slowedBy(factor: number, samples: readonly LabelledSample[]): LabelledSample[] {
  return samples.map((each) => ({
    ...each,
    elapsedMicros: Math.round(each.elapsedMicros * factor),
  }));
}

export async function compareSamples(
  base: readonly LabelledSample[],
  later: readonly LabelledSample[],
  chosen: Partial<ComparedPart> = {},
): Promise<LoadTestComparison> {
  const store = openMemoryStore();
  for (const [loadTestId, samples] of [
    ["base", base],
    ["later", later],
  ] as const) {
    await store.loadTests.create(loadTest(loadTestId));
    await store.points.append(batchOf(samples, { loadTestId }));
  }
  const part = {
    range: undefined,
    selection: ALL_ENDPOINTS,
    skipStartSeconds: 0,
    skipEndSeconds: 0,
    ...chosen,
  };
  return compareLoadTests(store.points, {
    base: { ...part, loadTestId: "base" },
    later: { ...part, loadTestId: "later" },
  });
}

/** All reported differences. */
export function changesIn({ overall, endpoints }: LoadTestComparison): string[] {
  return [{ ...overall, label: "(all)" }, ...endpoints].flatMap(({ label, verdict, errRate }) => [
    ...(verdict === "slower" || verdict === "faster" ? [`${label}: ${verdict}`] : []),
    ...(errRate.isSignificant === true ? [`${label}: fails otherwise`] : []),
  ]);
}
