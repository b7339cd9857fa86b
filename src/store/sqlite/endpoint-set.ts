/** A set of endpoint numbers in few bytes: runs of neighbours, each as varints (skipped, length). */

import { ByteReader } from "../block/byte-reader.ts";
import { ByteWriter } from "../block/byte-writer.ts";

/** Encodes numbers that ascend; equal neighbours count once. */
export function encodeEndpointSet(ascending: ArrayLike<number>): Uint8Array {
  const writer = new ByteWriter();
  let [start, end, written] = [0, 0, 0];
  for (let index = 0; index < ascending.length; index++) {
    const number = ascending[index] as number;
    if (number > end) {
      written = writeRun(writer, written, [start, end]);
      start = number;
    }
    end = number + 1;
  }
  writeRun(writer, written, [start, end]);
  return writer.view().slice();
}

/** Writes a run unless it is empty, and answers up to where numbers are written now. */
function writeRun(
  writer: ByteWriter,
  written: number,
  [start, end]: readonly [start: number, end: number],
): number {
  if (start === end) return written;
  writer.varint(start - written);
  writer.varint(end - start);
  return end;
}

/** The numbers of a set, ascending. */
export function endpointsIn(bytes: Uint8Array): number[] {
  const numbers: number[] = [];
  forEachRun(bytes, (from, until) => {
    for (let number = from; number < until; number++) numbers.push(number);
  });
  return numbers;
}

/** Where the runs of a set begin and end (half open), in turn: ascending, no number twice. */
export function boundsOf(bytes: Uint8Array): Uint32Array {
  const bounds: number[] = [];
  forEachRun(bytes, (from, until) => bounds.push(from, until));
  return Uint32Array.from(bounds);
}

export function setHas(bytes: Uint8Array, endpoint: number): boolean {
  const reader = new ByteReader(bytes);
  let until = 0;
  while (reader.at < bytes.length) {
    const from = until + reader.varint();
    until = from + reader.varint();
    if (endpoint < until) return endpoint >= from;
  }
  return false;
}

/** The set of everything that is in one of them. */
export function uniteSets(sets: readonly Uint8Array[]): Uint8Array {
  const runs: [from: number, until: number][] = [];
  for (const set of sets) forEachRun(set, (from, until) => runs.push([from, until]));
  const writer = new ByteWriter();
  let [start, end, written] = [0, 0, 0];
  for (const [from, until] of runs.toSorted(([left], [right]) => left - right)) {
    if (from > end) {
      written = writeRun(writer, written, [start, end]);
      start = from;
    }
    end = Math.max(end, until);
  }
  writeRun(writer, written, [start, end]);
  return writer.view().slice();
}

export function sizeOfSet(bytes: Uint8Array): number {
  let size = 0;
  forEachRun(bytes, (from, until) => {
    size += until - from;
  });
  return size;
}

function forEachRun(bytes: Uint8Array, visit: (from: number, until: number) => void): void {
  const reader = new ByteReader(bytes);
  let from = 0;
  while (reader.at < bytes.length) {
    from += reader.varint();
    const until = from + reader.varint();
    visit(from, until);
    from = until;
  }
}
