/**
 * What keeping requests whole costs: processor time of decoding and aggregating with samples against without, in turn; the
 * median of the ratios of pairs:
 *
 *     node bench/samples.bench.ts [rows] [pairs] [case]
 */

import { loadavg } from "node:os";
import type { Format } from "../src/decode/decoder.ts";
import { jmeterCsv } from "../src/decode/jmeter/jmeter-csv.ts";
import { jmeterXml } from "../src/decode/jmeter/jmeter-xml.ts";
import { k6Csv } from "../src/decode/k6/k6-csv.ts";
import { k6Json } from "../src/decode/k6/k6-json.ts";
import { tachographNdjson } from "../src/decode/tables/tachograph.ts";
import { DecodeRun } from "../src/import/decode-points.ts";
import { SAMPLE_BYTES_DEFAULT } from "../src/model/samples/sample-choice.ts";
import { jtlAsXml } from "./jtl-as-xml.ts";
import { jtlPieces } from "./make-jtl.ts";
import { k6Pieces } from "./make-k6.ts";

const PIECE_BYTES = 512 * 1024;

const rows = Number(process.argv[2] ?? 300_000);
const pairs = Number(process.argv[3] ?? 9);
const asked = process.argv[4] ?? "";

const BODY = '{"error":"no worker is free","session":"4711","items":[{"sku":"A-1"}]}'.repeat(28);

const line = JSON.stringify({ timestamp: 1_795_232_600_000, label: "GET /", elapsedMs: 12 });
const REPEATED = `${line.slice(0, -1)},"success":true,"sample":{"url":"https://shop.example/"}}\n`;
const FAILED = `${line.slice(0, -1)},"success":false,"code":"503","sample":{"responseBody":"${"x".repeat(200)}"}}\n`;

const CASES: Readonly<Record<string, readonly [Format, () => Iterable<string>]>> = {
  "jmeter-csv, 1 % failed": [jmeterCsv, () => jtlPieces({ rows })],
  "jmeter-csv, 30 % failed": [jmeterCsv, () => jtlPieces({ rows, errors: 0.3 })],
  "jmeter-xml, 1 % failed": [jmeterXml, () => jtlAsXml(jtlPieces({ rows }))],
  "jmeter-xml, 10 % failed, with bodies": [
    jmeterXml,
    () => jtlAsXml(jtlPieces({ rows: rows / 2, errors: 0.1 }), BODY),
  ],
  "k6-csv": [k6Csv, () => k6Pieces({ form: "csv", requests: rows / 8 })],
  "k6-json": [k6Json, () => k6Pieces({ form: "json", requests: rows / 8 })],
  "tachograph-ndjson, identical": [tachographNdjson, () => [REPEATED.repeat(rows / 2)]],
  "tachograph-ndjson, identical failures": [tachographNdjson, () => [FAILED.repeat(rows / 2)]],
};

/** Processor time in milliseconds. */
async function decode(format: Format, bytes: Uint8Array, keeps: boolean): Promise<number> {
  const used = process.cpuUsage();
  const samples = keeps ? { bytesMax: SAMPLE_BYTES_DEFAULT } : undefined;
  const run = new DecodeRun({ format, options: { timeZone: "UTC", samples } });
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    run.push(bytes.subarray(at, at + PIECE_BYTES));
  }
  await run.end(async () => undefined);
  const { user, system } = process.cpuUsage(used);
  return (user + system) / 1000;
}

const middle = (all: readonly number[]): number =>
  all.toSorted((one, other) => one - other)[all.length >> 1] as number;

for (const [name, [format, pieces]] of Object.entries(CASES)) {
  if (!name.startsWith(asked)) continue;
  const bytes = Buffer.concat(Array.from(pieces(), (piece) => Buffer.from(piece)));
  const without: number[] = [];
  const ratios: number[] = [];
  for (let pair = -1; pair < pairs; pair++) {
    const one = await decode(format, bytes, false);
    const other = await decode(format, bytes, true);
    // The first pair warms up.
    if (pair < 0) continue;
    without.push(one);
    ratios.push(other / one);
  }
  const [least, most] = [Math.min(...ratios), Math.max(...ratios)];
  console.log(
    `${name.padEnd(40)} ${middle(without).toFixed(0)} ms, with samples x ${middle(ratios).toFixed(2)} (${least.toFixed(2)} to ${most.toFixed(2)})`,
  );
}
console.log(`load average ${loadavg()[0]?.toFixed(1)}`);
