/** The measurements of a report as bytes, before they are compressed. */

import type { FailureCounts, FailureTable } from "../model/failures.ts";
import type { MeasureTable } from "../model/measures/measure-table.ts";
import { measureBytes, measuresIn } from "../model/measures/measure-bytes.ts";
import type { Endpoint } from "../model/load-test.ts";
import {
  type PointColumns,
  VarintReader,
  VarintWriter,
  readPoints,
  writePoints,
} from "./report-points.ts";

export interface ReportContents<About> {
  readonly about: About;
  /** By label. */
  readonly endpoints: readonly ReportedEndpoint[];
  /** Their `endpoint` is an index into `endpoints`. */
  readonly failures: FailureTable;
  /** Changes of the number of active users, ascending by second. */
  readonly users: readonly (readonly [second: number, users: number])[];
  /** Merged; labels are indexes into `endpoints`. */
  readonly measures: MeasureTable;
}

interface ReportedEndpoint {
  /** Without its number, which is its index. */
  readonly endpoint: Omit<Endpoint, "number">;
  readonly points: PointColumns;
}

interface Head<About> {
  readonly about: About;
  readonly kinds: readonly (readonly [code: string, message: string])[];
  readonly endpoints: readonly ReportedEndpoint["endpoint"][];
  /** Length of the measures behind the head. */
  readonly measureBytes: number;
}

const LENGTH_BYTES = 4;
const FAILURE_COLUMNS = ["endpoint", "kind", "second", "requests"] as const;

/** Yields one chunk per endpoint and a few others; each owns its memory. */
export function* packReport<About>(
  report: ReportContents<About>,
): Generator<Uint8Array<ArrayBuffer>> {
  const measures = measureBytes(report.measures);
  const head: Head<About> = {
    about: report.about,
    kinds: report.failures.kinds.map(({ code, message }) => [code, message]),
    endpoints: report.endpoints.map(({ endpoint }) => ({ ...endpoint, number: undefined })),
    measureBytes: measures.length,
  };
  const text = new TextEncoder().encode(JSON.stringify(head));
  const begin = new Uint8Array(LENGTH_BYTES + text.length);
  new DataView(begin.buffer).setUint32(0, text.length, true);
  begin.set(text, LENGTH_BYTES);
  yield begin;
  yield new Uint8Array(measures);
  for (const { points } of report.endpoints) {
    const out = new VarintWriter();
    writePoints(points, out);
    yield out.take();
  }
  const out = new VarintWriter();
  writeFailures(report.failures.counts, out);
  writeUsers(report.users, out);
  yield out.take();
}

/** The reports of one run each that were packed one after the other. Throws `SyntaxError` or `RangeError` for other bytes. */
export function unpackReports<About>(bytes: Uint8Array): readonly ReportContents<About>[] {
  const reports: ReportContents<About>[] = [];
  for (let at = 0; at < bytes.length;) {
    const { end, ...report } = unpackOne<About>(bytes, at);
    reports.push(report);
    at = end;
  }
  return reports;
}

function unpackOne<About>(
  bytes: Uint8Array,
  from: number,
): ReportContents<About> & { readonly end: number } {
  const length = new DataView(bytes.buffer, bytes.byteOffset, bytes.length).getUint32(from, true);
  const measuresFrom = from + LENGTH_BYTES + length;
  const text = bytes.subarray(from + LENGTH_BYTES, measuresFrom);
  const head = JSON.parse(new TextDecoder().decode(text)) as Head<About>;
  const numbersFrom = measuresFrom + head.measureBytes;
  const measures = measuresIn(bytes.subarray(measuresFrom, numbersFrom));
  if (measures === undefined) throw new RangeError("measures without whole columns");
  const reader = new VarintReader(bytes, numbersFrom);
  const endpoints = head.endpoints.map((endpoint) => {
    return { endpoint, points: readPoints(reader) };
  });
  const kinds = head.kinds.map(([code, message]) => ({ code, message }));
  const failures = { kinds, counts: readFailures(reader) };
  const users = readUsers(reader);
  return { about: head.about, endpoints, failures, users, measures, end: reader.at };
}

function writeFailures(counts: FailureCounts, out: VarintWriter): void {
  out.write(counts.second.length);
  for (const name of FAILURE_COLUMNS) out.writeSteps(counts[name]);
}

function readFailures(reader: VarintReader): FailureCounts {
  const rows = reader.read();
  return {
    endpoint: Uint32Array.from(reader.readSteps(rows)),
    kind: Uint32Array.from(reader.readSteps(rows)),
    second: Uint32Array.from(reader.readSteps(rows)),
    requests: reader.readSteps(rows),
  };
}

type Users = ReportContents<unknown>["users"];

function writeUsers(users: Users, out: VarintWriter): void {
  out.write(users.length);
  for (const at of [0, 1] as const) out.writeSteps(users.map((change) => change[at]));
}

function readUsers(reader: VarintReader): Users {
  const count = reader.read();
  const [seconds, users] = [reader.readSteps(count), reader.readSteps(count)];
  return Array.from(seconds, (second, at) => [second, users[at] as number] as const);
}
