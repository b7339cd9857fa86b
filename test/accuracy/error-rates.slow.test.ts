/** A part of `npm run task test:accuracy`. */

import { expect, test } from "vitest";
import { comparePair, EXCLUDED } from "./compared-runs.ts";
import { falselyChanged, foundWith } from "./looked-at-histories.ts";
import type { SimulationName } from "./simulated-runs.ts";

const SHAPE = { seconds: 300, requestsPerSecond: 30 };

const PAIRS = 12;

/** How many of these pairs have each verdict, by the factor on the later run. */
async function verdictsOf(simulation: SimulationName, factors: readonly number[]) {
  const counts = new Map<string, number>();
  for (let seed = 1; seed <= PAIRS; seed++) {
    const { verdicts } = await comparePair({ ...SHAPE, simulation }, factors, seed);
    for (const [factor, verdict] of Object.entries(verdicts)) {
      const name = `${verdict} at ${factor}`;
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  return (name: string): number => counts.get(name) ?? 0;
}

test.each(["drift of 10 %, 60 s", "queue at 95 %"] as const)(
  "of two unchanged runs with a %s, hardly any differ",
  async (simulation) => {
    const count = await verdictsOf(simulation, []);
    expect(count("slower at 1") + count("faster at 1")).toBeLessThanOrEqual(1);
  },
);

test("of calm runs, what is unchanged and what is 10 % slower is found", async () => {
  const count = await verdictsOf("log-normal response times", [EXCLUDED, 1.1]);
  expect(count("unchanged at 1")).toBeGreaterThanOrEqual(PAIRS - 2);
  expect(count(`unchanged at ${EXCLUDED}`)).toBeLessThanOrEqual(2);
  expect(count("slower at 1.1")).toBe(PAIRS);
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
