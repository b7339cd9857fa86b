/**
 * Whether findings are true, and how often something is found where nothing is. Holds what is found in the demo and in every result file of
 * the folders of a folder against an independent reading of it, then looks at generated load tests with a step, a burst, or nothing but
 * noise. Sets the exit code 1 where a finding is not true.
 */

import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { ALL_ENDPOINTS } from "../../src/series/endpoint-selection.ts";
import { readFindings } from "../../src/analysis/findings/read-findings.ts";
import { readResults } from "../independent/read-results.mjs";
import { readRecording } from "../demo/recording.ts";
import { importAndRead, LOAD_TEST_ID } from "../samples/import-and-read.ts";
import { wholeBy } from "../samples/whole-samples.ts";
import { findingDifferences } from "./finding-differences.ts";
import { foundIn } from "./found-in.ts";
import { generatedSamples, NOISES, START } from "./generated-load-tests.ts";

const SEEDS = 100;
const SHAPE = { seconds: 600, requestsPerSecond: 20, endpoints: 4 };
const STEP = { from: 240, until: 420 };
const BURST = { from: 200, until: 230 };

function* filesIn(folder: string | undefined): Generator<readonly [name: string, bytes: Buffer]> {
  yield ["demo/shop.jtl", Buffer.from(readRecording())];
  for (const kind of folder === undefined ? [] : readdirSync(folder).toSorted()) {
    const directory = path.join(folder ?? "", kind);
    if (!statSync(directory).isDirectory()) continue;
    for (const file of readdirSync(directory).toSorted()) {
      if (!file.endsWith(".expected.json")) {
        yield [`${kind}/${file}`, readFileSync(path.join(directory, file))];
      }
    }
  }
}

async function untrueIn(name: string, bytes: Buffer): Promise<number> {
  const { points, outcome } = await importAndRead(bytes);
  if (outcome.ending === "refused") return 0;
  const query = { loadTestId: LOAD_TEST_ID, selection: ALL_ENDPOINTS, range: undefined };
  const findings = await readFindings(points, query);
  const wholeOf = await wholeBy(points);
  const { step, burst } = findings;
  if (step !== undefined) console.log(`${name}: step`, JSON.stringify(step));
  if (burst !== undefined) console.log(`${name}: burst`, JSON.stringify(burst));
  const differences = findingDifferences(findings, wholeOf(readResults(bytes)?.samples ?? []));
  for (const difference of differences) console.log(`UNTRUE ${name}: ${difference}`);
  return differences.length;
}

/** Cells of a table: how often the change was found, and what else. */
async function generatedCells(name: keyof typeof NOISES): Promise<number[]> {
  let [noStep, noBurst, steps, elsewhere, bursts] = [0, 0, 0, 0, 0];
  for (let seed = 1; seed <= SEEDS; seed++) {
    const shape = { ...SHAPE, noise: NOISES[name], seed };
    const nothing = await foundIn(generatedSamples(shape));
    if (nothing.step !== undefined) noStep += 1;
    if (nothing.burst !== undefined) noBurst += 1;
    const slowed = { ...shape, slowdown: onlyWithin(STEP, 1, 4, 1) };
    const { step } = await foundIn(generatedSamples(slowed));
    const distance = Math.abs((step?.at ?? Infinity) - START - STEP.from);
    if (distance <= 10) steps += 1;
    else if (step !== undefined) elsewhere += 1;
    const failing = { ...shape, failing: onlyWithin(BURST, 2, 0.5, 0.0005) };
    const { burst } = await foundIn(generatedSamples(failing));
    if (burst !== undefined) bursts += 1;
  }
  return [noStep, noBurst, steps, elsewhere, bursts];
}

function onlyWithin(
  { from, until }: { readonly from: number; readonly until: number },
  endpoint: number,
  inside: number,
  outside: number,
) {
  return (second: number, own: number) =>
    own === endpoint && second >= from && second < until ? inside : outside;
}

export async function printFindings(folder: string | undefined): Promise<void> {
  let [files, untrue] = [0, 0];
  for (const [name, bytes] of filesIn(folder)) {
    files += 1;
    untrue += await untrueIn(name, bytes);
  }
  console.log(`${files} files, ${untrue} statements not true\n`);
  const head = ["noise", "false steps", "false bursts", "step", "step elsewhere", "burst"];
  console.log(`| ${head.join(" | ")} |`);
  console.log(`| ${head.map(() => "---").join(" | ")} |`);
  for (const name of Object.keys(NOISES)) {
    const cells = await generatedCells(name as keyof typeof NOISES);
    console.log(`| ${[name, ...cells].join(" | ")} |`);
  }
  if (untrue > 0) process.exitCode = 1;
}
