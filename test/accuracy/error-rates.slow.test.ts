/** A part of `npm run task test:accuracy`. */

import { expect, test } from "vitest";
import { comparePair, EXCLUDED } from "./compared-runs.ts";
import { falselyChanged, foundWith } from "./looked-at-histories.ts";
import type { SimulationName } from "./simulated-runs.ts";

const SHAPE = { seconds: 300, requestsPerSecond: 30 };

/** How many of 20 pairs have such a verdict if the later run is slower by the factor. */
async function verdictsOf(simulation: SimulationName, factor: number) {
  const counts = { slower: 0, faster: 0, unchanged: 0, inconclusive: 0 };
  for (let seed = 1; seed <= 20; seed++) {
    const { verdicts } = await comparePair({ ...SHAPE, simulation }, [factor], seed);
    counts[verdicts[factor] as keyof typeof counts] += 1;
  }
  return counts;
}

test.each(["drift of 10 %, 60 s", "queue at 95 %", "20 closed users, 2 servers"] as const)(
  "of two unchanged runs with a %s, hardly any differ",
  async (simulation) => {
    const { slower, faster } = await verdictsOf(simulation, 1);
    expect(slower + faster).toBeLessThanOrEqual(1);
  },
);

test("of calm runs, what is unchanged and what is 10 % slower is found", async () => {
  const simulation = "log-normal response times";
  expect((await verdictsOf(simulation, 1)).unchanged).toBeGreaterThanOrEqual(17);
  expect((await verdictsOf(simulation, EXCLUDED)).unchanged).toBeLessThanOrEqual(3);
  expect((await verdictsOf(simulation, 1.1)).slower).toBe(20);
});

test("of 60 histories without a change, hardly any has one at any time", async () => {
  const shape = { loadTests: 30, spread: 0.05, isShared: false };
  expect((await falselyChanged(shape, 60)).histories).toBeLessThanOrEqual(3);
});

test("a step of 20 % is found within a few runs", async () => {
  const step = { at: 20, factor: 1.2 };
  const runs = await foundWith({ loadTests: 30, spread: 0.05, isShared: true, step }, 20);
  expect(runs[9]).toBeLessThanOrEqual(4);
  expect(runs[17]).toBeLessThanOrEqual(6);
});
