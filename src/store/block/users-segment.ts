/** The segment of a block of active users (docs/internals/formats/block.md, "Users"). */

import type { UserTable } from "../../model/active-users.ts";
import type { SourceUsers } from "../stored-details.ts";
import type { ByteReader } from "./byte-reader.ts";
import type { ByteWriter } from "./byte-writer.ts";
import { beginSegment, openSegment, closeSegment } from "./envelope.ts";
import { readPacked, writePacked } from "./packed-column.ts";
import { runLengths, runStarts, spreadRuns, startsOf } from "./row-runs.ts";
import { readSeconds, writeSeconds } from "./seconds-column.ts";
import { readText, writeText } from "./directory.ts";

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
