/**
 * Whether findings are true, and how often something is found where nothing is. Holds what is found in the demo and in every result file of
 * the folders of a folder against an independent reading of it, then looks at generated load tests with a step, a burst, or nothing but
 * noise. Sets the exit code 1 where a finding is not true.
 */

import { anomaliesOf } from "../../src/analysis/findings/incidents.ts";
import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { ALL_ENDPOINTS } from "../../src/series/endpoint-selection.ts";
import { readFindings } from "../../src/analysis/findings/read-findings.ts";
import { readResults } from "../independent/read-results.mjs";
import { readRecording } from "../demo/recording.ts";
import { importAndRead, LOAD_TEST_ID } from "../samples/import-and-read.ts";
import { wholeBy } from "../samples/whole-samples.ts";
import { findingDifferences } from "./finding-differences.ts";
import { NOISES } from "./generated-load-tests.ts";
import { foundInNothing, type IncidentKind, INCIDENTS, trialOf } from "./incident-shapes.ts";

const SEEDS = 100;

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
  const anomalies = anomaliesOf(findings.incidents);
  for (const anomaly of anomalies) console.log(`${name}:`, JSON.stringify(anomaly));
  const differences = findingDifferences(anomalies, wholeOf(readResults(bytes)?.samples ?? []));
  for (const difference of differences) console.log(`UNTRUE ${name}: ${difference}`);
  return differences.length;
}

async function foundOf(incident: IncidentKind, noise: keyof typeof NOISES): Promise<string> {
  let [found, others] = [0, 0];
  for (let seed = 1; seed <= SEEDS; seed++) {
    const trial = await trialOf(incident, noise, seed);
    if (trial.isFound) found += 1;
    if (trial.others.length > 0) others += 1;
  }
  return others === 0 ? String(found) : `${found} (${others})`;
}

async function falseIn(noise: keyof typeof NOISES): Promise<number> {
  let runs = 0;
  for (let seed = 1; seed <= SEEDS; seed++) {
    if ((await foundInNothing(noise, seed)).length > 0) runs += 1;
  }
  return runs;
}

export async function printFindings(folder: string | undefined): Promise<void> {
  let [files, untrue] = [0, 0];
  for (const [name, bytes] of filesIn(folder)) {
    files += 1;
    untrue += await untrueIn(name, bytes);
  }
  console.log(`${files} files, ${untrue} statements not true\n`);
  const noises = Object.keys(NOISES) as (keyof typeof NOISES)[];
  console.log(`Of ${SEEDS} runs: incidents found (runs in which something else was found, too).`);
  printRow(["", ...noises]);
  printRow(["---", ...noises.map(() => "---:")]);
  printRow(["nothing happens", ...(await eachOf(noises, falseIn))]);
  for (const [name, incident] of Object.entries(INCIDENTS)) {
    printRow([name, ...(await eachOf(noises, (noise) => foundOf(incident, noise)))]);
  }
  if (untrue > 0) process.exitCode = 1;
}

function printRow(cells: readonly (string | number)[]): void {
  console.log(`| ${cells.join(" | ")} |`);
}

/** One after another. */
async function eachOf<Item, Cell>(
  items: readonly Item[],
  of: (item: Item) => Promise<Cell>,
): Promise<Cell[]> {
  const cells: Cell[] = [];
  for (const item of items) cells.push(await of(item));
  return cells;
}
