/**
 * Coverage-guided fuzzing; saves failing inputs in `corpus/`.
 *
 *     npm run task fuzz -- --seconds 60 [--decoder jmeter-csv] [--seed 1]
 *
 * The time applies to each target. Exit code 1: an input failed. See test/fuzz/README.md.
 */

import { parseArgs } from "node:util";
import { saveFound } from "./corpus.ts";
import { type Outcome, watchTarget } from "./watch-target.ts";
import { openTargets } from "./targets.ts";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "30" },
    decoder: { type: "string" },
    seed: { type: "string", default: String(Date.now() % 2 ** 31) },
  },
});

const targets = openTargets();
const names = targets.map(({ name }) => name);
const chosen = values.decoder === undefined ? names : values.decoder.split(",");
const unknown = chosen.filter((name) => !names.includes(name));
if (unknown.length > 0) {
  throw new Error(`there is no target ${unknown.join(", ")}; there are: ${names.join(", ")}`);
}
console.log(`seed ${values.seed}`);
for (const name of chosen) {
  report(
    name,
    await watchTarget(name, {
      seconds: Number(values.seconds),
      seed: Number(values.seed),
      rssMiBMax: targets.find((target) => target.name === name)?.rssMiBMax,
    }),
  );
}

function report(name: string, { inputs, blocks, pool, rssMiB, findings }: Outcome): void {
  console.log(
    `${name}: ${inputs} inputs, ${blocks} blocks reached, ${pool} inputs that reached new ones, ${rssMiB} MiB, ${findings.length} findings`,
  );
  for (const { input, reason } of findings) {
    process.exitCode = 1;
    console.log(`  ${saveFound(name, input)}: ${reason.split("\n").slice(0, 6).join("\n    ")}`);
  }
}
