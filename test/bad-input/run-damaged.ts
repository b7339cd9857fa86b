/**
 * Checks thresholds of damaged files.
 *
 *     node test/bad-input/run-damaged.ts --files 10000 --seed 1
 *
 * Prints the seed of each file whose damage lets a threshold pass. Exit code 1: there is one.
 */

import { parseArgs } from "node:util";
import { checkDamaged } from "./check-damaged.ts";

const { values } = parseArgs({
  options: {
    files: { type: "string", default: "10000" },
    seed: { type: "string", default: String(Date.now() % 1_000_000_000) },
  },
});

console.log(`${values.files} damaged files from seed ${values.seed}`);
for await (const { seed, format, damage, passed } of checkDamaged(
  Number(values.seed),
  Number(values.files),
)) {
  console.log(`seed ${seed}: ${format} with ${damage} passes ${passed.join(", ")}`);
  process.exitCode = 1;
}
console.log(process.exitCode === 1 ? "some pass" : "none passes");
