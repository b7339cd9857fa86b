/**
 * Runs what takes too long for every change: checks of damaged files, the short benchmark, its table against the last one, and the nightly fault runs, including
 * the soak of 30 minutes. Continues after failures.
 *
 *     npm run task nightly
 *
 * Exit code 1: something failed. 3: a program that a fault run needs is missing.
 */

import { spawnSync } from "node:child_process";

const STEPS: readonly (readonly string[])[] = [
  ["test/bad-input/run-damaged.ts", "--files", "10000"],
  ["bench/run.ts", "--quick"],
  ["bench/run.ts", "--quick-table"],
  ["test/faults/run.ts", "--gate", "nightly"],
];

const codes = STEPS.map((words) => {
  console.log(`> node ${words.join(" ")}`);
  return spawnSync(process.execPath, words, { stdio: "inherit" }).status ?? 1;
});
process.exitCode = codes.find((code) => code !== 0 && code !== 3) ?? Math.max(...codes);
