/**
 * How fast the decoder of each format is alone, over recorded results of real tools whose rows are
 * repeated until there are enough of them; the least processor time of some rounds:
 *
 *     npm run task bench:decode-formats [megabytes]
 */

import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { constants, gunzipSync } from "node:zlib";
import { MeasureAccumulator } from "../src/aggregate/measure-accumulator.ts";
import type { Format } from "../src/decode/decoder.ts";
import { detectFormat } from "../src/decode/detect.ts";
import { FORMATS } from "../src/decode/formats.ts";

const FIXTURES = join(import.meta.dirname, "../test/fixtures");
const ROUNDS = 5;
const PIECE_BYTES = 128 * 1024;
const HEAD_BYTES = 64 * 1024;
const LINE_FEED = 0x0a;

/** Documents that end with a bracket, and those without lines: they are taken as they are. */
const WHOLE: readonly string[] = [
  "gatling-binary",
  "vegeta-gob",
  "har",
  "artillery-json",
  "ghz-json",
];

const bytesWanted = Number(process.argv[2] ?? 12) * 1e6;

interface Recording {
  readonly format: Format;
  readonly name: string;
  readonly bytes: Uint8Array;
}

const found = readdirSync(FIXTURES, { recursive: true, encoding: "utf8" })
  .map((name) => recordingOf(name))
  .filter((recording) => recording !== undefined);

for (const format of FORMATS) {
  const own = found.filter((recording) => recording.format === format);
  const [largest] = own.toSorted((one, other) => other.bytes.length - one.bytes.length);
  if (largest !== undefined) run(largest);
}

/** A fixture that some format reads. */
function recordingOf(name: string): Recording | undefined {
  const path = join(FIXTURES, name);
  if (!statSync(path).isFile() || name.includes("expected")) return undefined;
  const raw = readFileSync(path);
  // Some are cut, as what recorded them was.
  const finishFlush = constants.Z_SYNC_FLUSH;
  const bytes = name.endsWith(".gz") ? gunzipSync(raw, { finishFlush }) : raw;
  const format = FORMATS.find((each) => each.recognises(bytes.subarray(0, HEAD_BYTES)));
  if (format === undefined || detectFormat(bytes.subarray(0, HEAD_BYTES), FORMATS) !== format) {
    return undefined;
  }
  return { format, name, bytes };
}

function run({ format, name, bytes }: Recording): void {
  const isWhole = WHOLE.includes(format.name);
  const source = isWhole ? bytes : repeated(bytes);
  const times = isWhole ? Math.ceil(bytesWanted / bytes.length) : 1;
  let rows = 0;
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    rows = 0;
    const begin = process.cpuUsage();
    for (let time = 0; time < times; time++) rows += decode(format, source);
    const { user, system } = process.cpuUsage(begin);
    least = Math.min(least, (user + system) / 1000);
  }
  const rate = (rows / least / 1000).toFixed(2);
  const speed = ((source.length * times) / least / 1000).toFixed(0);
  console.log(`${format.name.padEnd(18)} ${rate} M rows/s, ${speed} MB/s (${name})`);
}

/** The source, and its lines behind the first ones over and over; XML has its elements so. */
function repeated(bytes: Uint8Array): Uint8Array {
  const text = Buffer.from(bytes);
  const isXml = text.includes("</testResults>");
  const end = isXml ? text.lastIndexOf("</testResults>") : text.lastIndexOf(LINE_FEED) + 1;
  const from = isXml
    ? text.indexOf(">", text.indexOf("<testResults")) + 1
    : text.indexOf(LINE_FEED, end >> 1) + 1;
  const part = text.subarray(from, end);
  const times = Math.ceil(bytesWanted / Math.max(1, part.length));
  const parts = Array.from({ length: times }, () => part);
  return Buffer.concat([text.subarray(0, end), ...parts, text.subarray(end)]);
}

/** Rows, of requests or of windows. */
function decode(format: Format, bytes: Uint8Array): number {
  let rows = 0;
  const decoder = format.open(
    {
      recordWindow: () => {
        rows += 1;
      },
      recordFailure: () => undefined,
      recordActiveUsers: () => undefined,
      recordUserChanges: () => undefined,
      confirmSizes: () => undefined,
      recordPercentiles: () => undefined,
      repair: () => undefined,
      measures: new MeasureAccumulator(),
      record: (batch) => {
        rows += batch.rows;
      },
      reject: () => undefined,
    },
    { timeZone: "UTC" },
  );
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    decoder.push(bytes.subarray(at, at + PIECE_BYTES));
  }
  decoder.end();
  return rows;
}
