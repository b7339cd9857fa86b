/**
 * How fast the decoders of k6 are alone, without aggregation; the best of some rounds, in warm code:
 *
 *     npm run task bench:decode-k6 [requests]
 */

import { MeasureAccumulator } from "../src/aggregate/measure-accumulator.ts";
import type { Format } from "../src/decode/decoder.ts";
import { k6Csv } from "../src/decode/k6/k6-csv.ts";
import { k6Json } from "../src/decode/k6/k6-json.ts";
import { k6Pieces } from "./make-k6.ts";

const ROUNDS = 9;
const PIECE_BYTES = 128 * 1024;

const requests = Number(process.argv[2] ?? 60_000);

run("k6-csv", k6Csv, bytesOf(k6Pieces({ form: "csv", requests })));
run("k6-csv, no expected_response", k6Csv, bytesOf(unmarked(k6Pieces({ form: "csv", requests }))));
run("k6-json", k6Json, bytesOf(k6Pieces({ form: "json", requests })));

function run(name: string, format: Format, bytes: Uint8Array): void {
  const best = Math.min(...Array.from({ length: ROUNDS }, () => decode(format, bytes)));
  const rate = (requests / best / 1000).toFixed(2);
  const speed = (bytes.length / best / 1000).toFixed(0);
  console.log(`${name.padEnd(30)} ${rate} M requests/s, ${speed} MB/s`);
}

/** Milliseconds that the whole file takes. */
function decode(format: Format, bytes: Uint8Array): number {
  let recorded = 0;
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
  if (recorded !== requests) throw new Error(`recorded ${recorded} of ${requests}`);
  return performance.now() - begin;
}

function bytesOf(pieces: Iterable<string>): Uint8Array {
  return Buffer.concat(Array.from(pieces, (piece) => Buffer.from(piece)));
}

/** As with `systemTags` without it: whether a request failed stands in a row of its own. */
function* unmarked(pieces: Iterable<string>): Generator<string> {
  for (const piece of pieces) yield piece.replaceAll(/,(?:true|false),/g, ",,");
}
