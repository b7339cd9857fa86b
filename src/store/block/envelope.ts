/** What both segments of a block begin and end with: kind, version, column list and checksum. */

import { UserError } from "../../model/errors.ts";
import { ByteReader } from "./byte-reader.ts";
import { ByteWriter } from "./byte-writer.ts";
import { checksum } from "./checksum.ts";

const BLOCK_VERSION = 1;
const CRC_BYTES = 4;

/** The first byte of a segment. */
const SEGMENT_KINDS = { plain: 0x50, distribution: 0x44 } as const;

export type SegmentKind = keyof typeof SEGMENT_KINDS;

/** The columns of this version, in the order in which a segment holds them. */
const COLUMNS: Record<SegmentKind, readonly number[]> = {
  // second, requests, elapsed, received, failed requests, failed elapsed, failed received
  plain: [1, 2, 3, 4, 5, 6, 7],
  // histogram, minimum and maximum
  distribution: [16, 17, 18],
};

/** Begins a segment. */
export function beginSegment(kind: SegmentKind): ByteWriter {
  const writer = new ByteWriter();
  writer.byte(SEGMENT_KINDS[kind]);
  writer.byte(BLOCK_VERSION);
  writer.varint(COLUMNS[kind].length);
  for (const column of COLUMNS[kind]) writer.varint(column);
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

/**
 * Checks a segment's checksum and beginning; the reader stands behind the column list. Throws
 * `damaged-store` where a byte has changed and `store-too-new` where a newer version wrote it.
 */
export function openSegment(kind: SegmentKind, segment: Uint8Array): ByteReader {
  const length = segment.length - CRC_BYTES;
  if (length < CRC_BYTES || checksum(segment.subarray(0, length)) !== checksumOf(segment)) {
    throw damagedSegment(kind, "its checksum does not fit its bytes");
  }
  const reader = new ByteReader(segment);
  const found = reader.byte();
  if (found !== SEGMENT_KINDS[kind]) throw damagedSegment(kind, `it begins with byte ${found}`);
  const version = reader.byte();
  const columns = Array.from({ length: reader.varint() }, () => reader.varint());
  if (version !== BLOCK_VERSION || columns.join() !== COLUMNS[kind].join()) {
    const about = `version ${version} with the columns ${columns.join()}`;
    throw new UserError(
      "store-too-new",
      `cannot read a ${kind} segment of ${about}: this program knows version ${BLOCK_VERSION} ` +
        `with the columns ${COLUMNS[kind].join()}`,
    );
  }
  return reader;
}

export function damagedSegment(kind: SegmentKind, why: string, cause?: unknown): UserError {
  return new UserError("damaged-store", `cannot read a ${kind} segment: ${why}`, { cause });
}
