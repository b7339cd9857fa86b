/**
 * How often a comparison is wrong about real recordings, and how small a change it finds:
 *
 *     npm run task test:comparison -- FOLDER
 *
 * takes the recording that comes with the program and every other one of a thousand requests or more
 * in the folders of FOLDER. Halves of each, by request and by time, are compared as they are (whatever
 * is found then is false), and with one of them slowed down. After them come pairs of load tests of
 * generated noise. Prints one row of a table for each.
 */

import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { seededRandom } from "../../bench/seeded-random.ts";
import { readRecording } from "../demo/recording.ts";
import type { LabelledSample } from "../support/batches.ts";
import {
  changesIn,
  compareSamples,
  halvesOf,
  samplesOf,
  slowedBy,
  SPLITTERS,
} from "./compared-samples.ts";
import { generatedSamples, NOISES } from "./generated-load-tests.ts";

const FALSE_ALARM_SPLITS = 100;
const SLOWED_SPLITS = 20;
const FACTORS = [1.05, 1.1, 1.25];
const REQUESTS_MIN = 1000;

interface Recording {
  readonly name: string;
  readonly samples: readonly LabelledSample[];
}

function* recordingsIn(folder: string | undefined): Generator<Recording> {
  yield { name: "demo/shop.jtl", samples: samplesOf(readRecording()) };
  if (folder === undefined) return;
  for (const kind of readdirSync(folder).toSorted()) {
    const directory = path.join(folder, kind);
    if (!statSync(directory).isDirectory() || kind.startsWith("derived")) continue;
    for (const file of readdirSync(directory).toSorted()) {
      const samples = samplesIn(path.join(directory, file));
      if (samples.length >= REQUESTS_MIN) yield { name: `${kind}/${file}`, samples };
    }
  }
}

function samplesIn(file: string): LabelledSample[] {
  if (file.endsWith(".expected.json")) return [];
  return samplesOf(readFileSync(file)).filter(({ second }) => second > 0);
}

async function falseAlarms({ samples }: Recording): Promise<string[]> {
  const cells: string[] = [];
  for (const splitter of Object.values(SPLITTERS)) {
    let alarms = 0;
    for (let seed = 1; seed <= FALSE_ALARM_SPLITS; seed++) {
      const { first, second } = halvesOf(samples, splitter(seededRandom(seed)));
      if (changesIn(await compareSamples(first, second)).length > 0) alarms += 1;
    }
    cells.push(`${alarms}`);
  }
  return cells;
}

/**
 * Of the whole recording slowed down, and of one half slowed down; each "found overall / endpoints found".
 */
async function detections({ samples }: Recording): Promise<string[]> {
  const cells: string[] = [];
  for (const factor of FACTORS) {
    const { overall } = await compareSamples(samples, slowedBy(factor, samples));
    let found = 0;
    for (let seed = 1; seed <= SLOWED_SPLITS; seed++) {
      const { first, second } = halvesOf(samples, SPLITTERS.requests(seededRandom(seed)));
      const half = await compareSamples(first, slowedBy(factor, second));
      if (half.overall.verdict === "slower") found += 1;
    }
    cells.push(overall.verdict === "slower" ? "found" : overall.verdict, `${found}`);
  }
  return cells;
}

const GENERATED = { seconds: 300, requestsPerSecond: 30, endpoints: 8 };
const PAIRS = 100;

/**
 * Cells of one kind of noise: false alarms overall and anywhere, and how many slowed runs were found.
 */
async function generatedCells(name: keyof typeof NOISES, endpoints: number): Promise<number[]> {
  const shape = { ...GENERATED, endpoints, noise: NOISES[name] };
  let [overall, anything] = [0, 0];
  const found = FACTORS.map(() => 0);
  for (let seed = 1; seed <= PAIRS; seed++) {
    const base = generatedSamples({ ...shape, seed });
    const later = generatedSamples({ ...shape, seed: seed + 10_000 });
    const comparison = await compareSamples(base, later);
    if (changesIn(comparison).length > 0) anything += 1;
    if (["slower", "faster"].includes(comparison.overall.verdict)) overall += 1;
    if (seed > SLOWED_SPLITS) continue;
    for (const [index, factor] of FACTORS.entries()) {
      const slowed = await compareSamples(base, slowedBy(factor, later));
      if (slowed.overall.verdict === "slower") found[index] = (found[index] ?? 0) + 1;
    }
  }
  return [overall, anything, ...found];
}

async function printGenerated(): Promise<void> {
  const slowed = FACTORS.map((factor) => `${Math.round((factor - 1) * 100)} %`);
  const head = ["noise", "endpoints", "overall", "anything", ...slowed];
  console.log(`\n${cellsOf(head)}`);
  console.log(cellsOf(head.map(() => "---")));
  const kinds = [
    ...Object.keys(NOISES).map((name) => [name as keyof typeof NOISES, 8] as const),
    ["calm", 150] as const,
  ];
  for (const [name, endpoints] of kinds) {
    console.log(cellsOf([name, endpoints, ...(await generatedCells(name, endpoints))]));
  }
}

function secondsOf({ samples }: Recording): number {
  const seconds = samples.map(({ second }) => second);
  return Math.max(...seconds) - Math.min(...seconds) + 1;
}

function cellsOf(cells: readonly (string | number)[]): string {
  return `| ${cells.join(" | ")} |`;
}

async function main(folder: string | undefined): Promise<void> {
  const slowed = FACTORS.flatMap((factor) => {
    const percent = `${Math.round((factor - 1) * 100)} %`;
    return [`${percent}, all`, `${percent}, half (of ${SLOWED_SPLITS})`];
  });
  const head = ["recording", "requests", "seconds", ...Object.keys(SPLITTERS), ...slowed];
  console.log(cellsOf(head));
  console.log(cellsOf(head.map(() => "---")));
  for (const recording of recordingsIn(folder)) {
    const { name, samples } = recording;
    const alarms = await falseAlarms(recording);
    const cells = [name, samples.length, secondsOf(recording), ...alarms];
    console.log(cellsOf([...cells, ...(await detections(recording))]));
  }
  await printGenerated();
}

await main(process.argv[2]);
