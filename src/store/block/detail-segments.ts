/** The segment of a block of failures (docs/internals/formats/block.md, "Failures"). */

import type { FailureTable } from "../../model/failures.ts";
import { beginSegment, closeSegment, openSegment, readText, writeText } from "./envelope.ts";
import { readPacked, writePacked } from "./packed-column.ts";
import { readSeconds, writeSeconds } from "./seconds-column.ts";
import type { UserTable } from "../../model/active-users.ts";
import type { SourceUsers } from "../stored-details.ts";
import type { ByteReader, ByteWriter } from "./bytes.ts";

/** Encodes a table returned by `mergeFailures`. */
export function encodeFailures({ kinds, counts }: FailureTable): Uint8Array {
  const { endpoint, kind, second, requests } = counts;
  const stray = requests.find((count) => !(count >= 1 && Number.isSafeInteger(count)));
  if (stray !== undefined) throw new Error(`BUG: ${stray} failures of one kind in one second`);
  const writer = beginSegment("failures");
  writer.varint(kinds.length);
  for (const { code, message } of kinds) {
    writeText(writer, code);
    writeText(writer, message);
  }
  const starts = runStarts(second.length, [endpoint, kind]);
  const gaps = Float64Array.from(starts, (row, run) => {
    const before = run === 0 ? 0 : (endpoint[row - 1] as number);
    return (endpoint[row] as number) - before;
  });
  writer.varint(starts.length);
  writePacked(writer, gaps);
  writePacked(
    writer,
    Float64Array.from(starts, (row) => kind[row] as number),
  );
  writePacked(writer, runLengths(starts, second.length));
  writeSeconds(writer, second, starts);
  writePacked(writer, requests);
  return closeSegment(writer);
}

/** Decodes it. Throws `damaged-store`, `store-too-new`. */
export function decodeFailures(segment: Uint8Array): FailureTable {
  const { reader } = openSegment("failures", segment);
  const kinds = Array.from({ length: reader.varint() }, () => ({
    code: readText(reader),
    message: readText(reader),
  }));
  const runs = reader.varint();
  const endpoints = readPacked(reader, runs);
  for (let run = 1; run < runs; run++) {
    endpoints[run] = (endpoints[run] as number) + (endpoints[run - 1] as number);
  }
  const kindOfRun = readPacked(reader, runs);
  const { starts, rows } = startsOf(readPacked(reader, runs));
  const second = readSeconds(reader, rows, starts);
  const counts = {
    endpoint: spreadRuns(endpoints, starts, rows),
    kind: spreadRuns(kindOfRun, starts, rows),
    second,
    requests: readPacked(reader, rows),
  };
  return { kinds, counts };
}

/** Encodes tables returned by `mergeUsers`, one per source. */
export function encodeUsers(sources: readonly SourceUsers[]): Uint8Array {
  const writer = beginSegment("users");
  writer.varint(sources.length);
  for (const { sourceId, users } of sources) {
    writeText(writer, sourceId);
    writeTable(writer, users);
  }
  return closeSegment(writer);
}

/** Decodes them. Throws `damaged-store`, `store-too-new`. */
export function decodeUsers(segment: Uint8Array): readonly SourceUsers[] {
  const { reader } = openSegment("users", segment);
  return Array.from({ length: reader.varint() }, () => ({
    sourceId: readText(reader),
    users: readTable(reader),
  }));
}

function writeTable(writer: ByteWriter, { generators, counts }: UserTable): void {
  const { generator, second, active, started, ended } = counts;
  const rows = second.length;
  const starts = runStarts(rows, [generator]);
  if (starts.length !== generators.length) throw new Error("BUG: users are not merged");
  writer.varint(generators.length);
  for (const name of generators) writeText(writer, name);
  writePacked(writer, runLengths(starts, rows));
  writeSeconds(writer, second, starts);
  for (const column of [active, started, ended]) {
    const stray = column.find((count) => !(count >= 0 && Number.isSafeInteger(count)));
    if (stray !== undefined) throw new Error(`BUG: ${stray} users in one second`);
    writePacked(writer, column);
  }
}

function readTable(reader: ByteReader): UserTable {
  const generators = Array.from({ length: reader.varint() }, () => readText(reader));
  const { starts, rows } = startsOf(readPacked(reader, generators.length));
  const second = readSeconds(reader, rows, starts);
  const counts = {
    generator: spreadRuns(Float64Array.from(starts.keys()), starts, rows),
    second,
    active: readPacked(reader, rows),
    started: readPacked(reader, rows),
    ended: readPacked(reader, rows),
  };
  return { generators, counts };
}

/** Runs of consecutive rows with the same key, for failures and users. */

/**
 * Returns the start indexes of runs: rows that differ from the previous one in one of the `keys`.
 */
function runStarts(rows: number, keys: readonly Uint32Array[]): Uint32Array {
  const starts: number[] = [];
  for (let row = 0; row < rows; row++) {
    if (row === 0 || keys.some((key) => key[row] !== key[row - 1])) starts.push(row);
  }
  return Uint32Array.from(starts);
}

function runLengths(starts: Uint32Array, rows: number): Float64Array {
  return Float64Array.from(starts, (start, run) => (starts[run + 1] ?? rows) - start);
}

/** Returns the first row of each run, and the total length. */
function startsOf(lengths: Float64Array): { starts: Uint32Array; rows: number } {
  const starts = new Uint32Array(lengths.length);
  let rows = 0;
  for (const [run, length] of lengths.entries()) {
    starts[run] = rows;
    rows += length;
  }
  return { starts, rows };
}

function spreadRuns(values: Float64Array, starts: Uint32Array, rows: number): Uint32Array {
  const column = new Uint32Array(rows);
  for (const [run, value] of values.entries()) {
    column.fill(value, starts[run], starts[run + 1] ?? rows);
  }
  return column;
}
