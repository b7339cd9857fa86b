/**
 * How often thresholds on the growth of measures fail a run of an unchanged build, and how often they find growth of 30 %, on generated
 * runs that differ as a whole. Prints a Markdown table.
 */

import { tryMeasures } from "./measure-trials.ts";

const TRIALS = 1000;

export async function printMeasures(): Promise<void> {
  const unchanged = [0, 0.05, 0.1, 0.15].map((spread) => ({ spread, growth: 1 }));
  console.log("| spread | growth | CPU, mean | TTFT, p95 | tokens, rate |");
  console.log("| --- | --- | --- | --- | --- |");
  for (const { spread, growth } of [...unchanged, { spread: 0.05, growth: 1.3 }]) {
    const failures = [0, 0, 0];
    for (let seed = 1; seed <= TRIALS; seed++) {
      const fails = await tryMeasures({ spread, growth, correlation: 0 }, seed);
      for (const [at, each] of fails.entries()) failures[at] = (failures[at] ?? 0) + Number(each);
    }
    const cells = [`${100 * spread} %`, `${Math.round(100 * (growth - 1))} %`, ...failures];
    console.log(`| ${cells.join(" | ")} |`);
  }
}
