/**
 * How often a comparison is wrong about real recordings, and how small a change it finds. Takes the recording that comes with the program
 * and every other one of a thousand requests or more in the folders of a folder. Compares halves of each, by request and by time, as they
 * are (whatever is found then is false), and with one of them slowed down. Prints one row of a table for each.
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
import { printTable } from "./print-table.ts";

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

function secondsOf({ samples }: Recording): number {
  const seconds = samples.map(({ second }) => second);
  return Math.max(...seconds) - Math.min(...seconds) + 1;
}

export async function printRecordings(folder: string | undefined): Promise<void> {
  const slowed = FACTORS.flatMap((factor) => {
    const percent = `${Math.round((factor - 1) * 100)} %`;
    return [`${percent}, all`, `${percent}, half (of ${SLOWED_SPLITS})`];
  });
  const head = ["recording", "requests", "seconds", ...Object.keys(SPLITTERS), ...slowed];
  const rows: (string | number)[][] = [];
  for (const recording of recordingsIn(folder)) {
    const { name, samples } = recording;
    const alarms = await falseAlarms(recording);
    const cells = [name, samples.length, secondsOf(recording), ...alarms];
    rows.push([...cells, ...(await detections(recording))]);
  }
  printTable(head, rows);
}
