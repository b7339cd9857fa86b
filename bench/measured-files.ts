/** Files of the same requests, with and without what else was measured. */

import { jtlPieces } from "./make-jtl.ts";
import { k6Pieces } from "./make-k6.ts";

export interface MeasuredFileOptions {
  readonly requests: number;
  readonly seconds: number;
}

/** Places of the generated columns. */
const MEASURED_COLUMNS = { sentBytes: 10, Latency: 14, IdleTime: 15, Connect: 16 } as const;

type MeasuredColumn = keyof typeof MEASURED_COLUMNS;
const PHASE = /^http_req_(?:blocked|connecting|tls_handshaking|sending|waiting|receiving),/;
const REQUEST = /^(?:metric_name|http_req_duration|http_req_failed|http_reqs|vus),/;
const CUSTOM_METRICS = 10;
/** Requests of an iteration, in which each custom metric has a value. */
const ITERATION = 10;

/** JMeter CSV, of all columns of measures with some. */
export function jtl(
  { requests, seconds }: MeasuredFileOptions,
  measured: readonly MeasuredColumn[],
): Buffer[] {
  const left = Object.entries(MEASURED_COLUMNS).flatMap(([name, column]) => {
    return measured.some((each) => each === name) ? [] : [column];
  });
  // Without failures no field is quoted.
  const pieces = jtlPieces({ rows: requests, seconds, errors: 0 });
  return Array.from(pieces, (piece) => {
    const rows = piece.split("\n").map((row) => {
      const fields = row.split(",");
      return fields.filter((_, column) => !left.some((each) => each === column)).join();
    });
    return Buffer.from(rows.join("\n"));
  });
}

/** k6's CSV: `requests` alone, with their `phases`, or also with ten custom trends (`all`). */
export function k6(
  { requests, seconds }: MeasuredFileOptions,
  part: "requests" | "phases" | "all",
): Buffer[] {
  let request = 0;
  return Array.from(k6Pieces({ form: "csv", requests, seconds }), (piece) => {
    const lines = piece.split("\n").flatMap((line) => {
      const isKept = REQUEST.test(line) || (part !== "requests" && PHASE.test(line));
      const isIteration = line.startsWith("http_reqs,") && request++ % ITERATION === 0;
      const custom = part === "all" && isIteration ? customLines(line, request) : [];
      return isKept ? [line, ...custom] : custom;
    });
    return Buffer.from(`${lines.join("\n")}\n`);
  });
}

/** Values with two decimals, at the time of the request. */
function customLines(line: string, request: number): string[] {
  const [, timestamp] = line.split(",");
  return Array.from({ length: CUSTOM_METRICS }, (_, metric) => {
    const value = ((request * 7919 * (metric + 1)) % 9973) / 100;
    return `own_${metric},${timestamp},${value}${",".repeat(16)}`;
  });
}
