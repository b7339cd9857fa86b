/** Envelope of every segment of a block: kind, version, column list and checksum. */

import { crc32 } from "node:zlib";
import { lowerBound } from "../../model/columns.ts";
import { UserError } from "../../model/errors.ts";
import { type EndpointRuns, pointsBefore } from "../series.ts";
import { ByteReader, ByteWriter } from "./bytes.ts";
import { readPacked } from "./packed-column.ts";

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

/**
 * Directory of a block: its endpoints, and how their points are split into sections. A section is encoded
 * together: one endpoint with many points, or several with few, so that neither column headers nor the cost
 * of reading one endpoint dominate.
 */
/** A section takes further endpoints until it has this many points. Part of the format. */
export const SECTION_POINTS = 128;

export interface Directory {
  /** Endpoint numbers, ascending. */
  readonly endpoints: Uint32Array;
  /** The points of endpoint i are `pointsFrom[i]` to `pointsFrom[i + 1]` of the block, half open. */
  readonly pointsFrom: Uint32Array;
  readonly sections: readonly Section[];
}

export interface Section {
  /** Indexes of its endpoints in the directory, half open. */
  readonly endpointsFrom: number;
  readonly endpointsUntil: number;
  /** Indexes of its points in the block, half open. */
  readonly pointsFrom: number;
  readonly pointsUntil: number;
}

/** Returns the directory of a block with these consecutive runs. */
export function directoryOf(runs: EndpointRuns): Directory {
  return withSections(runs.endpoint, pointsBefore(runs));
}

export function readDirectory(reader: ByteReader): Directory {
  const count = reader.varint();
  const gaps = readPacked(reader, count);
  const counts = readPacked(reader, count);
  const endpoints = new Uint32Array(count);
  const pointsFrom = new Uint32Array(count + 1);
  for (let index = 0; index < count; index++) {
    const earlier = index === 0 ? -1 : (endpoints[index - 1] as number);
    endpoints[index] = earlier + 1 + (gaps[index] as number);
    pointsFrom[index + 1] = (pointsFrom[index] as number) + (counts[index] as number);
  }
  return withSections(endpoints, pointsFrom);
}

/**
 * Returns the index of `endpoint` in the directory; `undefined` if the block has no point of it.
 */
export function placeOf(directory: Directory, endpoint: number): number | undefined {
  const place = lowerBound(directory.endpoints, endpoint);
  return directory.endpoints[place] === endpoint ? place : undefined;
}

function withSections(endpoints: Uint32Array, pointsFrom: Uint32Array): Directory {
  const sections: Section[] = [];
  let first = 0;
  for (let endpoint = 1; endpoint <= endpoints.length; endpoint++) {
    const from = pointsFrom[first] as number;
    const until = pointsFrom[endpoint] as number;
    if (until - from < SECTION_POINTS && endpoint < endpoints.length) continue;
    sections.push({
      endpointsFrom: first,
      endpointsUntil: endpoint,
      pointsFrom: from,
      pointsUntil: until,
    });
    first = endpoint;
  }
  return { endpoints, pointsFrom, sections };
}

/** Texts: UTF-8, each preceded by its number of bytes. */
export function writeText(writer: ByteWriter, text: string): void {
  const bytes = Buffer.from(text);
  writer.varint(bytes.length);
  writer.bytes(bytes);
}

export function readText(reader: ByteReader): string {
  return Buffer.from(reader.take(reader.varint())).toString();
}
