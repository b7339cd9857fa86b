/** Envelope of every segment of a block: kind, version, column list and checksum. */

import { crc32 } from "node:zlib";
import { UserError } from "../../model/errors.ts";
import { ByteReader, ByteWriter } from "./bytes.ts";

const BLOCK_VERSION = 1;
const CRC_BYTES = 4;

/** The first byte of a segment. */
const SEGMENT_KINDS = {
  plain: 0x50,
  distribution: 0x44,
  failures: 0x46,
  users: 0x55,
  measures: 0x4d,
} as const;

export type SegmentKind = keyof typeof SEGMENT_KINDS;

/** Columns of this version, in the order within a segment. */
const COLUMNS: Record<SegmentKind, readonly number[]> = {
  // second, requests, elapsed, received, failed requests, failed elapsed, failed received
  plain: [1, 2, 3, 4, 5, 6, 7],
  // histogram, minimum and maximum
  distribution: [16, 17, 18],
  // endpoint, kind, second, requests
  failures: [32, 33, 34, 35],
  // generator, second, active, started, ended
  users: [48, 49, 50, 51, 52],
  // unstored, series, second, count, sum, gauge, histogram
  measures: [64, 65, 66, 67, 68, 69, 70],
};

/** Optional columns, after the others. */
const OPTIONAL_COLUMNS = {
  // window length, untimed requests, untimed failed requests
  plain: [8, 9, 10],
  // minimum and maximum may be unknown; outcomes
  distribution: [19, 20],
  failures: [],
  users: [],
  measures: [],
} as const satisfies Record<SegmentKind, readonly number[]>;

/** Begins a segment. `optional`: indexes of its `OPTIONAL_COLUMNS`. */
export function beginSegment(kind: SegmentKind, optional: readonly number[] = []): ByteWriter {
  const writer = new ByteWriter();
  const columns = [
    ...COLUMNS[kind],
    ...optional.map((index) => OPTIONAL_COLUMNS[kind][index] ?? 0),
  ];
  writer.byte(SEGMENT_KINDS[kind]);
  writer.byte(BLOCK_VERSION);
  writer.varint(columns.length);
  for (const column of columns) writer.varint(column);
  return writer;
}

/** Appends the checksum and returns a copy of the bytes. */
export function closeSegment(writer: ByteWriter): Uint8Array {
  writer.uint32(checksum(writer.view()));
  return writer.view().slice();
}

/** Returns the stored checksum of a segment, without verifying it. */
export function checksumOf(segment: Uint8Array): number {
  return new ByteReader(segment, segment.length - CRC_BYTES).uint32();
}

export interface OpenedSegment {
  /** Position after the column list. */
  readonly reader: ByteReader;
  /** Indexes of its optional columns in `OPTIONAL_COLUMNS`, ascending. */
  readonly optional: readonly number[];
}

/**
 * Verifies a segment's checksum and header. Throws `damaged-store` if a byte has changed and `store-too-new`
 * for a newer version.
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
  const base = columns.slice(0, COLUMNS[kind].length);
  const known: readonly number[] = OPTIONAL_COLUMNS[kind];
  const optional = columns.slice(base.length).map((column) => known.indexOf(column));
  const isKnown = optional.every((index, at) => index > (optional[at - 1] ?? -1));
  if (version === BLOCK_VERSION && base.join() === COLUMNS[kind].join() && isKnown) {
    return { reader, optional };
  }
  const about = `version ${version} with the columns ${columns.join()}`;
  throw new UserError(
    "store-too-new",
    `cannot read a ${kind} segment of ${about}: this program supports version ${BLOCK_VERSION} ` +
      `with the columns ${[...COLUMNS[kind], ...known].join()}`,
  );
}

export function damagedSegment(kind: SegmentKind, why: string, cause?: unknown): UserError {
  return new UserError("damaged-store", `cannot read a ${kind} segment: ${why}`, { cause });
}

/** Returns the CRC-32 of bytes, or of a text's UTF-8 bytes: the checksum of all stored data. */
export function checksum(value: Uint8Array | string): number {
  return crc32(value);
}
