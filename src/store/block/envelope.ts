/** What every segment of a block begins and ends with: kind, version, column list and checksum. */

import { UserError } from "../../model/errors.ts";
import { ByteReader } from "./byte-reader.ts";
import { ByteWriter } from "./byte-writer.ts";
import { checksum } from "./checksum.ts";

const BLOCK_VERSION = 1;
const CRC_BYTES = 4;

/** The first byte of a segment. */
const SEGMENT_KINDS = { plain: 0x50, distribution: 0x44, failures: 0x46, users: 0x55 } as const;

export type SegmentKind = keyof typeof SEGMENT_KINDS;

/** The columns of this version, in the order in which a segment holds them. */
const COLUMNS: Record<SegmentKind, readonly number[]> = {
  // second, requests, elapsed, received, failed requests, failed elapsed, failed received
  plain: [1, 2, 3, 4, 5, 6, 7],
  // histogram, minimum and maximum
  distribution: [16, 17, 18],
  // endpoint, kind, second, requests
  failures: [32, 33, 34, 35],
  // generator, second, active, started, ended
  users: [48, 49, 50, 51, 52],
};

/** A column that only some plain segments have, behind the others: seconds that a point stands for. */
const WINDOW_COLUMN = 8;

/** Begins a segment; only a plain one may be windowed. */
export function beginSegment(kind: SegmentKind, isWindowed = false): ByteWriter {
  const writer = new ByteWriter();
  const columns = isWindowed ? [...COLUMNS[kind], WINDOW_COLUMN] : COLUMNS[kind];
  writer.byte(SEGMENT_KINDS[kind]);
  writer.byte(BLOCK_VERSION);
  writer.varint(columns.length);
  for (const column of columns) writer.varint(column);
  return writer;
}

/** Ends a segment with its checksum and gives a copy of its bytes. */
export function sealSegment(writer: ByteWriter): Uint8Array {
  writer.uint32(checksum(writer.view()));
  return writer.view().slice();
}

/** The checksum that a sealed segment ends with, not compared with its bytes. */
export function checksumOf(segment: Uint8Array): number {
  return new ByteReader(segment, segment.length - CRC_BYTES).uint32();
}

export interface OpenedSegment {
  /** Stands behind the column list. */
  readonly reader: ByteReader;
  readonly isWindowed: boolean;
}

/**
 * Checks a segment's checksum and beginning. Throws `damaged-store` where a byte has changed and
 * `store-too-new` where a newer version wrote it.
 */
export function openSegment(kind: SegmentKind, segment: Uint8Array): OpenedSegment {
  const length = segment.length - CRC_BYTES;
  if (length < CRC_BYTES || checksum(segment.subarray(0, length)) !== checksumOf(segment)) {
    throw damagedSegment(kind, "its checksum does not fit its bytes");
  }
  const reader = new ByteReader(segment);
  const found = reader.byte();
  if (found !== SEGMENT_KINDS[kind]) throw damagedSegment(kind, `it begins with byte ${found}`);
  const version = reader.byte();
  const columns = Array.from({ length: reader.varint() }, () => reader.varint());
  const isWindowed = kind === "plain" && columns.at(-1) === WINDOW_COLUMN;
  const known = isWindowed ? columns.slice(0, -1) : columns;
  if (version === BLOCK_VERSION && known.join() === COLUMNS[kind].join()) {
    return { reader, isWindowed };
  }
  const about = `version ${version} with the columns ${columns.join()}`;
  throw new UserError(
    "store-too-new",
    `cannot read a ${kind} segment of ${about}: this program knows version ${BLOCK_VERSION} ` +
      `with the columns ${COLUMNS[kind].join()}`,
  );
}

export function damagedSegment(kind: SegmentKind, why: string, cause?: unknown): UserError {
  return new UserError("damaged-store", `cannot read a ${kind} segment: ${why}`, { cause });
}
