/**
 * How fast one thread decodes and aggregates a JMeter file in memory; medians, each in warm code:
 *
 *     node bench/decode-points.bench.ts [rows] [rounds]
 */

import { jmeterCsv } from "../src/decode/jmeter/jmeter-csv.ts";
import { DecodeRun } from "../src/import/decode-points.ts";
import { jtlPieces } from "./make-jtl.ts";

const PIECE_BYTES = 512 * 1024;

const rows = Number(process.argv[2] ?? 1_000_000);
const rounds = Number(process.argv[3] ?? 7);
// As many rows in a second as five million have in an hour.
const seconds = Math.ceil((rows * 3600) / 5_000_000);
const pieces = jtlPieces({ rows, seconds });
const bytes = Buffer.concat(Array.from(pieces, (piece) => Buffer.from(piece)));

const durations: number[] = [];
const cpu: number[] = [];
for (let round = 0; round < rounds; round++) {
  const [begin, used] = [performance.now(), process.cpuUsage()];
  const run = new DecodeRun({ format: jmeterCsv, options: { timeZone: "UTC" } });
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    run.push(bytes.subarray(at, at + PIECE_BYTES));
  }
  const { recorded } = await run.end(() => undefined);
  durations.push(performance.now() - begin);
  const { user, system } = process.cpuUsage(used);
  cpu.push((user + system) / 1000);
  if (recorded !== rows) throw new Error(`recorded ${recorded} of ${rows} rows`);
}
const [wall, processor] = [durations, cpu].map((all) => all.toSorted((a, b) => a - b)[rounds >> 1]);
console.log(
  `${(rows / Number(wall) / 1000).toFixed(2)} M rows/s, ${(bytes.length / Number(wall) / 1000).toFixed(0)} MB/s, processor ${(rows / Number(processor) / 1000).toFixed(2)} M rows/s; first ${durations[0]?.toFixed(0)} ms, median ${wall?.toFixed(0)} ms`,
);
