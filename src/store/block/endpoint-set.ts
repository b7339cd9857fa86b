/** Compact set of endpoint numbers: ranges, each as varints (skipped, length). */

import { STORED_ROLES, type StoredRole } from "../../model/role.ts";
import { ByteReader, ByteWriter } from "./bytes.ts";
import { type Roles, mergeRoles } from "../stored-details.ts";

const STORED = STORED_ROLES.filter(
  (role): role is Exclude<StoredRole, "request"> => role !== "request",
);

/** Encodes ascending numbers; duplicates count once. */
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

/** Writes a range unless it is empty. Returns the next number. */
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

export function numbersIn(bytes: Uint8Array): Uint32Array {
  const numbers = new Uint32Array(sizeOfSet(bytes));
  let at = 0;
  forEachRun(bytes, (from, until) => {
    for (let number = from; number < until; number++) numbers[at++] = number;
  });
  return numbers;
}

/** Returns the starts and ends of the ranges of a set (half open), alternating and ascending. */
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

export function uniteSets(sets: readonly Uint8Array[]): Uint8Array {
  let united = sets.map((set) => boundsOf(set));
  while (united.length > 1) {
    const pairs = united
      .filter((_, at) => at % 2 === 0)
      .map((left, at) => [left, united[2 * at + 1]]);
    united = pairs.map(([left, right]) => uniteBounds(left ?? NO_BOUNDS, right ?? NO_BOUNDS));
  }
  return encodeBounds(united[0] ?? NO_BOUNDS);
}

const NO_BOUNDS = new Uint32Array(0);

/** Returns the bounds of the union, in the format of `boundsOf`, with maximal ranges. */
function uniteBounds(left: Uint32Array, right: Uint32Array): Uint32Array {
  const united = new Uint32Array(left.length + right.length);
  let [leftAt, rightAt, used] = [0, 0, 0];
  while (leftAt < left.length || rightAt < right.length) {
    const isLeft = (left[leftAt] ?? Infinity) <= (right[rightAt] ?? Infinity);
    const from = (isLeft ? left[leftAt] : right[rightAt]) as number;
    const until = (isLeft ? left[leftAt + 1] : right[rightAt + 1]) as number;
    if (isLeft) leftAt += 2;
    else rightAt += 2;
    if (used > 0 && from <= (united[used - 1] as number)) {
      united[used - 1] = Math.max(united[used - 1] as number, until);
    } else {
      united[used++] = from;
      united[used++] = until;
    }
  }
  return united.subarray(0, used);
}

function encodeBounds(bounds: Uint32Array): Uint8Array {
  const writer = new ByteWriter();
  let written = 0;
  for (let at = 0; at < bounds.length; at += 2) {
    written = writeRun(writer, written, [bounds[at] as number, bounds[at + 1] as number]);
  }
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

interface WithEndpoints {
  /** Encoded endpoint set. */
  readonly endpoints: Uint8Array;
  /** Encoded; `null` if all are requests. */
  readonly roles: Uint8Array | null;
}

/** Adds the applicable `roles` to a block without roles: for each role its endpoint set, preceded by its length. */
export function withRoles<Block extends WithEndpoints>(block: Block, roles: Roles): Block {
  if (roles.size === 0) return block;
  const own = numbersIn(block.endpoints).filter((endpoint) => roles.has(endpoint));
  if (own.length === 0) return block;
  const writer = new ByteWriter();
  for (const role of STORED) {
    const set = encodeEndpointSet(own.filter((endpoint) => roles.get(endpoint) === role));
    writer.varint(set.length);
    writer.bytes(set);
  }
  return { ...block, roles: writer.view().slice() };
}

export function rolesOf(blocks: readonly WithEndpoints[]): Roles {
  if (blocks.every(({ roles }) => roles === null)) return new Map();
  return mergeRoles(
    blocks.map(({ endpoints, roles }) => ({
      endpoints: numbersIn(endpoints),
      roles: roles === null ? new Map() : decodeRoles(roles),
    })),
  );
}

function decodeRoles(bytes: Uint8Array): Roles {
  const reader = new ByteReader(bytes);
  const roles = STORED.flatMap((role) => {
    const set = reader.take(reader.varint());
    return Array.from(numbersIn(set), (endpoint) => [endpoint, role] as const);
  });
  return new Map(roles);
}
