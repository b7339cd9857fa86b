/** Figures of many load tests, as printed with three digits, against the exact nearest rank of their requests. */

import { expect, test } from "vitest";
import { randomFrom } from "../support/dense-points.ts";
import { batchOf, type LabelledSample } from "../support/batches.ts";
import type { Figures } from "../../src/api/summary.ts";
import { summarise } from "../../src/query/open-summary.ts";
import { ALL_ENDPOINTS } from "../../src/series/endpoint-selection.ts";
import { memoryStoreWith } from "../support/stored-runs.ts";

const SEEDS = 30;
const REQUESTS = [30, 300, 3000];
const PERMILLES = { p50: 500, p90: 900, p95: 950, p99: 990, p999: 999 } as const;
const START = 1_700_000_000;
const ERROR_MAX = 0.001;

/** Response times in milliseconds. */
const SHAPES: Readonly<Record<string, (random: () => number) => number>> = {
  "log-normal, 5 ms": (random) => 5 * Math.exp(0.5 * normal(random)),
  "log-normal, 40 ms": (random) => 40 * Math.exp(0.6 * normal(random)),
  "log-normal, 200 ms": (random) => 200 * Math.exp(0.5 * normal(random)),
  "log-normal, 1.5 s": (random) => 1500 * Math.exp(0.6 * normal(random)),
  "uniform to 1 s": (random) => 1000 * random(),
  "8 and 400 ms": (random) => (random() < 0.6 ? 8 : 400) * Math.exp(0.2 * normal(random)),
  Pareto: (random) => 20 * (1 - random()) ** (-1 / 1.1),
  constant: () => 123.457,
  "0, 1 and 2 ms": (random) => Math.floor(3 * random()),
  "over an hour": (random) => 3_600_000 * (1 + random()),
};

function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

function samplesOf(seed: number, requests: number, unitMicros: number): LabelledSample[] {
  const random = randomFrom(seed);
  return Object.entries(SHAPES).flatMap(([label, draw]) =>
    Array.from({ length: requests }, () => ({
      label,
      second: START + Math.floor(random() * 60),
      elapsedMicros: unitMicros * Math.round((draw(random) * 1000) / unitMicros),
      receivedBytes: 0,
      failed: random() < 0.1,
    })),
  );
}

interface Tally {
  figures: number;
  differing: number;
  errorMost: number;
}

test.each([
  ["whole milliseconds", 1000],
  ["microseconds", 1],
])(
  "of %s, no percentile printed with three digits differs from the exact one",
  async (_, unitMicros) => {
    const tallies = new Map<string, Tally>();
    for (let seed = 1; seed <= SEEDS; seed++) {
      for (const requests of REQUESTS) {
        const samples = samplesOf(seed, requests, unitMicros);
        const { points } = await memoryStoreWith(batchOf(samples));
        for (const outcome of [undefined, "passed"] as const) {
          const counted = samples.filter(({ failed }) => outcome === undefined || !failed);
          const about = { loadTestId: "run", selection: ALL_ENDPOINTS, range: undefined, outcome };
          const summary = await summarise(points, { ...about, apdexMicros: undefined });
          compare(tallies, "merged", summary.overall, counted);
          for (const own of summary.endpoints) {
            const { label } = own;
            compare(
              tallies,
              label,
              own,
              counted.filter((sample) => sample.label === label),
            );
          }
        }
      }
    }
    console.table(
      Object.fromEntries(
        [...tallies].map(([name, { figures, differing, errorMost }]) => [
          name,
          {
            figures,
            "differ, %": Number(((100 * differing) / figures).toFixed(2)),
            "largest error, %": Number((100 * errorMost).toFixed(3)),
          },
        ]),
      ),
    );
    for (const [name, { differing, errorMost }] of tallies) {
      expect([name, differing, errorMost <= ERROR_MAX]).toEqual([name, 0, true]);
    }
  },
  300_000,
);

function compare(
  tallies: Map<string, Tally>,
  name: string,
  figures: Figures,
  samples: readonly LabelledSample[],
): void {
  const sorted = Float64Array.from(samples, ({ elapsedMicros }) => elapsedMicros).toSorted();
  const tally = tallies.get(name) ?? { figures: 0, differing: 0, errorMost: 0 };
  tallies.set(name, tally);
  for (const [figure, permille] of Object.entries(PERMILLES)) {
    const exact = sorted[Math.ceil((permille * sorted.length) / 1000) - 1] as number;
    const got = Math.round((figures[figure as keyof typeof PERMILLES] ?? Number.NaN) * 1e6);
    tally.figures += 1;
    if (threeDigits(got) !== threeDigits(exact)) tally.differing += 1;
    if (got !== exact) tally.errorMost = Math.max(tally.errorMost, Math.abs(got - exact) / exact);
  }
}

/** A half rounds up. */
function threeDigits(micros: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, micros))) - 2);
  return Math.floor((micros + unit / 2) / unit) * unit;
}
