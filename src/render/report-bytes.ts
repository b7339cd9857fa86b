/** The measurements of a report as bytes, before they are compressed. */

import type { FailureCounts, FailureTable } from "../model/failures.ts";
import type { MeasureTable } from "../model/measures/measure-table.ts";
import { measureBytes, measuresIn } from "../model/measures/measure-bytes.ts";
import type { Endpoint } from "../model/load-test.ts";
import { type PointColumns, readPoints, writePoints } from "./report-points.ts";
import { VarintReader, VarintWriter } from "./varints.ts";

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

/** Throws `SyntaxError` or `RangeError` for other bytes. */
export function unpackReport<About>(bytes: Uint8Array): ReportContents<About> {
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  const text = bytes.subarray(LENGTH_BYTES, LENGTH_BYTES + length);
  const head = JSON.parse(new TextDecoder().decode(text)) as Head<About>;
  const measuresFrom = LENGTH_BYTES + length;
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
  if (!reader.isAtEnd()) throw new RangeError("unexpected bytes after the last number");
  return { about: head.about, endpoints, failures, users, measures };
}

function writeFailures(counts: FailureCounts, out: VarintWriter): void {
  out.write(counts.second.length);
  let [endpoint, kind, second] = [0, 0, 0];
  for (const [row, requests] of counts.requests.entries()) {
    // Where one column moves on, those after it start again.
    const own = [counts.endpoint[row] as number, counts.kind[row] as number] as const;
    out.write(own[0] - endpoint);
    if (own[0] !== endpoint) [kind, second] = [0, 0];
    out.write(own[1] - kind);
    if (own[1] !== kind) second = 0;
    out.write((counts.second[row] as number) - second);
    out.write(requests);
    [endpoint, kind, second] = [...own, counts.second[row] as number];
  }
}

function readFailures(reader: VarintReader): FailureCounts {
  const rows = reader.read();
  const counts = {
    endpoint: new Uint32Array(rows),
    kind: new Uint32Array(rows),
    second: new Uint32Array(rows),
    requests: new Float64Array(rows),
  };
  let [endpoint, kind, second] = [0, 0, 0];
  for (let row = 0; row < rows; row++) {
    const endpointStep = reader.read();
    if (endpointStep > 0) [kind, second] = [0, 0];
    const kindStep = reader.read();
    if (kindStep > 0) second = 0;
    counts.endpoint[row] = endpoint += endpointStep;
    counts.kind[row] = kind += kindStep;
    counts.second[row] = second += reader.read();
    counts.requests[row] = reader.read();
  }
  return counts;
}

type Users = ReportContents<unknown>["users"];

function writeUsers(users: Users, out: VarintWriter): void {
  out.write(users.length);
  let last = 0;
  for (const [second, number] of users) {
    out.write(second - last);
    out.write(number);
    last = second;
  }
}

function readUsers(reader: VarintReader): Users {
  let last = 0;
  return Array.from({ length: reader.read() }, () => {
    last += reader.read();
    return [last, reader.read()] as const;
  });
}
