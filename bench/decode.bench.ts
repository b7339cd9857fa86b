/**
 * How fast the decoders are alone, without aggregation; the best of some rounds, each in warm code:
 *
 *     node bench/decode.bench.ts [rows]
 */

import { MeasureAccumulator } from "../src/aggregate/measure-accumulator.ts";
import type { Format } from "../src/decode/decoder.ts";
import { jmeterCsv } from "../src/decode/jmeter/jmeter-csv.ts";
import { jmeterXml } from "../src/decode/jmeter/jmeter-xml.ts";
import { k6Csv } from "../src/decode/k6/k6-csv.ts";
import { k6Json } from "../src/decode/k6/k6-json.ts";
import { jtlAsXml } from "./jtl-as-xml.ts";
import { jtlPieces } from "./make-jtl.ts";
import { k6Pieces } from "./make-k6.ts";

const ROUNDS = 9;
const PIECE_BYTES = 128 * 1024;

interface Case {
  readonly name: string;
  readonly format: Format;
  readonly bytes: Uint8Array;
}

const rows = Number(process.argv[2] ?? 500_000);
/** Of k6, whose requests take many rows each. */
const requests = Math.ceil(rows / 8);

const cases: Case[] = [
  { name: "jmeter-csv, 1 % errors", format: jmeterCsv, bytes: bytesOf(jtlPieces({ rows })) },
  {
    name: "jmeter-csv, 30 % errors",
    format: jmeterCsv,
    bytes: bytesOf(jtlPieces({ rows, errors: 0.3 })),
  },
  {
    name: "jmeter-csv, dates",
    format: jmeterCsv,
    bytes: bytesOf(withDates(jtlPieces({ rows }))),
  },
  { name: "jmeter-xml", format: jmeterXml, bytes: bytesOf(jtlAsXml(jtlPieces({ rows }))) },
  { name: "k6-csv", format: k6Csv, bytes: bytesOf(k6Pieces({ form: "csv", requests })) },
  {
    name: "k6-csv, no expected_response",
    format: k6Csv,
    bytes: bytesOf(unmarked(k6Pieces({ form: "csv", requests }))),
  },
  { name: "k6-json", format: k6Json, bytes: bytesOf(k6Pieces({ form: "json", requests })) },
];

for (const each of cases) run(each);

function run({ name, format, bytes }: Case): void {
  const durations: number[] = [];
  let recorded = 0;
  for (let round = 0; round < ROUNDS; round++) {
    recorded = 0;
    const begin = performance.now();
    const decoder = format.open(
      {
        recordWindow: () => undefined,
        recordFailure: () => undefined,
        recordActiveUsers: () => undefined,
        recordUserChanges: () => undefined,
        confirmSizes: () => undefined,
        recordPercentiles: () => undefined,
        repair: () => undefined,
        measures: new MeasureAccumulator(),
        record: (batch) => {
          recorded += batch.rows;
        },
        reject: ({ line, reason }) => {
          throw new Error(`line ${line}: ${reason}`);
        },
      },
      { timeZone: "UTC" },
    );
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      decoder.push(bytes.subarray(at, at + PIECE_BYTES));
    }
    decoder.end();
    durations.push(performance.now() - begin);
  }
  const best = Math.min(...durations);
  const rate = (recorded / best / 1000).toFixed(2);
  const speed = (bytes.length / best / 1000).toFixed(0);
  console.log(`${name.padEnd(30)} ${rate} M rows/s, ${speed} MB/s (${recorded} rows)`);
}

function bytesOf(pieces: Iterable<string>): Uint8Array {
  return Buffer.concat(Array.from(pieces, (piece) => Buffer.from(piece)));
}

/** The same rows with `2026-11-21 00:12:16.333` for milliseconds. */
function* withDates(pieces: Iterable<string>): Generator<string> {
  for (const piece of pieces) {
    yield piece.replaceAll(/^\d{13}/gm, (ms) =>
      new Date(Number(ms)).toISOString().replace("T", " ").replace("Z", ""),
    );
  }
}

/** As with `systemTags` without it: whether a request failed stands in a row of its own. */
function* unmarked(pieces: Iterable<string>): Generator<string> {
  for (const piece of pieces) yield piece.replaceAll(/,(?:true|false),/g, ",,");
}
