/** How often comparisons of simulated runs are wrong, and what they find. Prints Markdown tables. */

import { comparePair, EXCLUDED, type PairShape } from "./compared-runs.ts";
import { expectWithin, printRows } from "./print-table.ts";
import { SIMULATIONS, type SimulationName } from "./simulated-runs.ts";

const PAIRS = 100;
const FACTORS = [EXCLUDED, 1.1, 1.25];

/** Normal quantiles of the errors of a comparison: 5 % to exclude, two-sided 1 % for six figures to find. */
const EXCLUDED_QUANTILE = 1.644_854;
const FOUND_QUANTILE = 3.143_98;

/** What the shift alone would tell if its noise were known: that of all pairs. */
function knownRates(shifts: readonly number[]): readonly number[] {
  const deviation = Math.sqrt(shifts.reduce((sum, shift) => sum + shift ** 2, 0) / shifts.length);
  const unchanged = (shift: number): boolean =>
    Math.abs(shift) + EXCLUDED_QUANTILE * deviation < Math.log(1.05);
  const found = (factor: number) => (shift: number) =>
    shift + Math.log(factor) > Math.max(Math.log(1.05), FOUND_QUANTILE * deviation);
  return [unchanged, found(1.1), found(1.25)].map((tells) => shifts.filter(tells).length);
}

/** Of so many pairs: false verdicts overall and of any endpoint, `unchanged` as they are and 5 % slower, and found changes; then `knownRates`. */
async function ratesOf(shape: PairShape): Promise<readonly number[]> {
  const counts = [0, 0, 0, 0, 0, 0];
  const shifts: number[] = [];
  for (let seed = 1; seed <= PAIRS; seed++) {
    const { verdicts, isAnyFalse, shift } = await comparePair(shape, FACTORS, seed);
    shifts.push(shift);
    const hits = [
      verdicts[1] === "slower" || verdicts[1] === "faster",
      isAnyFalse,
      verdicts[1] === "unchanged",
      verdicts[EXCLUDED] === "unchanged",
      verdicts[1.1] === "slower",
      verdicts[1.25] === "slower",
    ];
    for (const [index, isHit] of hits.entries())
      if (isHit) counts[index] = (counts[index] ?? 0) + 1;
  }
  return [...counts, ...knownRates(shifts)];
}

const USUAL = { seconds: 300, requestsPerSecond: 30 };

/** Other lengths and rates. */
const OTHERS: readonly (readonly [string, PairShape])[] = [
  [
    "log-normal, 30 against 40 requests/s",
    { ...USUAL, simulation: "log-normal response times", later: { requestsPerSecond: 40 } },
  ],
  [
    "drift, 15 s; 120 against 600 s",
    { ...USUAL, simulation: "drift of 10 %, 15 s", seconds: 120, later: { seconds: 600 } },
  ],
  ["log-normal, 60 s", { ...USUAL, simulation: "log-normal response times", seconds: 60 }],
  ["queue at 70 %, 20 min", { ...USUAL, simulation: "queue at 70 %", seconds: 1200 }],
  [
    "garbage collection, 20 min",
    { ...USUAL, simulation: "garbage collection, 0.3 s every 10 s", seconds: 1200 },
  ],
  ["closed users, 20 min", { ...USUAL, simulation: "20 closed users, 2 servers", seconds: 1200 }],
];

export async function printComparisons(): Promise<void> {
  const usual = (Object.keys(SIMULATIONS) as SimulationName[]).map(
    (simulation) => [simulation, { ...USUAL, simulation }] as const,
  );
  const head = ["noise", "false overall", "false of an endpoint", "unchanged", "unchanged at 5 %"];
  const found = ["10 % found", "25 % found"];
  const known = ["unchanged", ...found].map((name) => `${name}, noise known`);
  await printRows([...head, ...found, ...known], rowsOf([...usual, ...OTHERS]));
}

async function* rowsOf(pairs: readonly (readonly [string, PairShape])[]) {
  for (const [name, shape] of pairs) {
    const rates = await ratesOf(shape);
    const [falseOverall = NaN, , , wronglyUnchanged = NaN] = rates;
    expectWithin(`${name}: false overall`, falseOverall, { most: 5 });
    // 5 % of many, so that 100 may have some more.
    expectWithin(`${name}: unchanged at 5 %`, wronglyUnchanged, { most: 11 });
    yield [name, ...rates];
  }
}
