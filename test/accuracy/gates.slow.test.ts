import { expect, test } from "vitest";
import { failsPairs, tryGates } from "./gate-trials.ts";

/** A part of `npm run task test:accuracy -- gates`. */
const SEEDS = Array.from({ length: 100 }, (_, seed) => seed + 1);

/** How many of these seeds fail. */
async function failuresOf(fails: (seed: number) => Promise<boolean>): Promise<number> {
  let failures = 0;
  for (const seed of SEEDS) failures += (await fails(seed)) ? 1 : 0;
  return failures;
}

test.each([0, 0.5])(
  "runs that differ but did not change hardly ever fail, alike by r = %d",
  async (correlation) => {
    const shape = { spread: 0.1, correlation, growth: 1 };
    const single = async (seed: number) => (await tryGates(shape, seed)).tachograph;
    expect(await failuresOf(single)).toBeLessThanOrEqual(3);
    const pairs = { ...shape, pairs: 8, limit: "p95 grows > 0%" };
    expect(await failuresOf((seed) => failsPairs(pairs, seed))).toBeLessThanOrEqual(3);
  },
);

test("slower ones are found: 30 % after eight runs, 15 % by eight pairs", async () => {
  const shape = { spread: 0.05, correlation: 0 };
  const single = async (seed: number) => {
    return (await tryGates({ ...shape, growth: 1.3 }, seed)).tachograph;
  };
  expect(await failuresOf(single)).toBeGreaterThanOrEqual(85);
  const pairs = { ...shape, growth: 1.15, pairs: 8, limit: "p95 grows > 5%" };
  expect(await failuresOf((seed) => failsPairs(pairs, seed))).toBeGreaterThanOrEqual(88);
});
