/** Cache of blocks, which never change: answers by label read a block of several endpoints several times. */

import type { FailureTable } from "../../../model/failures.ts";
import { type Directory, checksumOf } from "../../block/envelope.ts";
import { type DistributionSegment, openDistribution } from "../../block/distribution-segment.ts";
import { decodeFailures, decodeUsers } from "../../block/detail-segments.ts";
import { openPlain, type PlainSegment } from "../../block/plain-segment.ts";
import { type OpenedMeasures, openMeasures } from "../../block/measures-segment.ts";
import type { SourceUsers } from "../../stored-details.ts";
import type { BlockRow, BlockRows, Segments } from "./block-rows.ts";
import { LruCache } from "../../../concurrency/lru-cache.ts";
import { UserError } from "../../../model/errors.ts";
import type { Block } from "../../block/block.ts";

const CACHE_BYTES_MAX = 32 * 1024 * 1024;
const FAILURES_BYTES_MAX = 8 * 1024 * 1024;
const MEASURES_BYTES_MAX = 32 * 1024 * 1024;
/** Bytes of the objects of an opened block and of each of its sections. */
const OPENED_BYTES = 4096;
const SECTION_BYTES = 256;
const ENDPOINT_BYTES = 8;
/** Bytes per point of the section decoded last: sums, extremes and bucket positions. */
const SUMS_BYTES = 64;
const EXTREMES_BYTES = 20;
/** Bytes per point of an opened block; of 1,000 points, 61 to 139 were measured. */
const POINT_BYTES = 100;
/** A byte of histograms decodes to a bucket and its count. */
const BUCKET_BYTES = 10;
const FAILURE_ROW_BYTES = 20;
/** Bytes of a series of measures, with some tags. */
const SERIES_BYTES = 300;

interface Opened {
  readonly plain: PlainSegment;
  readonly plainBytes: Uint8Array;
  readonly distribution: DistributionSegment | undefined;
  readonly bytes: number;
}

export class SegmentCache {
  readonly #rows: Pick<BlockRows, "segment">;
  readonly #opened = new LruCache<number, Opened>(CACHE_BYTES_MAX);
  readonly #failures = new LruCache<number, FailureTable>(FAILURES_BYTES_MAX);
  readonly #measures = new LruCache<number, OpenedMeasures>(MEASURES_BYTES_MAX);

  constructor(rows: Pick<BlockRows, "segment">) {
    this.#rows = rows;
  }

  /** Whether there is room for these blocks of points at once, by estimate. */
  holds(blocks: readonly BlockRow[]): boolean {
    const bytes = blocks.reduce((sum, { points }) => sum + OPENED_BYTES + POINT_BYTES * points, 0);
    return bytes <= CACHE_BYTES_MAX;
  }

  /** Makes room for others: the block is deleted. */
  forget(block: number): void {
    this.#opened.delete(block);
    this.#failures.delete(block);
    this.#measures.delete(block);
  }

  /** Returns the plain segment of a block. Throws `damaged-store`. */
  plain(row: BlockRow): PlainSegment {
    return this.#open(row, false).plain;
  }

  /** Returns both segments. Throws `damaged-store`. */
  both(row: BlockRow): {
    readonly plain: PlainSegment;
    readonly distribution: DistributionSegment;
  } {
    const { plain, distribution } = this.#open(row, true);
    if (distribution === undefined) throw new Error("BUG: a segment was not opened");
    return { plain, distribution };
  }

  /** Returns the rows of a block of failures. Throws `damaged-store`. */
  failures(row: BlockRow): FailureTable {
    const found = this.#failures.get(row.number);
    if (found !== undefined) return found;
    const bytes = readSegment(this.#rows, row, "plain");
    const table = decodeFailures(bytes);
    this.#failures.set(row.number, table, bytes.length + FAILURE_ROW_BYTES * row.points);
    return table;
  }

  /** Returns the rows of a block of users, which a response reads once. Throws `damaged-store`. */
  users(row: BlockRow): readonly SourceUsers[] {
    return decodeUsers(readSegment(this.#rows, row, "plain"));
  }

  /** Returns a block of measures, opened. Throws `damaged-store`. */
  measures(row: BlockRow): OpenedMeasures {
    const found = this.#measures.get(row.number);
    if (found !== undefined) return found;
    const bytes = readSegment(this.#rows, row, "plain");
    const opened = openMeasures(bytes);
    this.#measures.set(
      row.number,
      opened,
      OPENED_BYTES + bytes.length + SERIES_BYTES * opened.series.length,
    );
    return opened;
  }

  #open(row: BlockRow, withDistribution: boolean): Opened {
    const found = this.#opened.get(row.number);
    if (found !== undefined && (found.distribution !== undefined || !withDistribution)) {
      return found;
    }
    const opened = this.#read(row, found, withDistribution);
    this.#opened.set(row.number, opened, opened.bytes);
    return opened;
  }

  #read(row: BlockRow, found: Opened | undefined, withDistribution: boolean): Opened {
    const plainBytes = found?.plainBytes ?? readSegment(this.#rows, row, "plain");
    const plain = found?.plain ?? openPlain(plainBytes);
    const largest = largestSection(plain.directory);
    const bytes = plainBytes.length + directoryBytes(plain.directory) + SUMS_BYTES * largest;
    if (!withDistribution) return { plain, plainBytes, distribution: undefined, bytes };
    const distributionBytes = readSegment(this.#rows, row, "distribution");
    const distribution = openDistribution(distributionBytes, plain, plainBytes);
    // Measured: compressed by at most a third.
    const streamBytes = 2 * distributionBytes.length;
    const decodedBytes = (BUCKET_BYTES * streamBytes * largest) / Math.max(row.points, 1);
    const opened = bytes + streamBytes + decodedBytes + EXTREMES_BYTES * largest;
    return { plain, plainBytes, distribution, bytes: opened };
  }
}

/** Points of the largest section: each segment keeps the last decoded section. */
function largestSection({ sections }: Directory): number {
  let largest = 0;
  for (const { pointsFrom, pointsUntil } of sections) {
    largest = Math.max(largest, pointsUntil - pointsFrom);
  }
  return largest;
}

function directoryBytes({ endpoints, sections }: Directory): number {
  return OPENED_BYTES + ENDPOINT_BYTES * endpoints.length + SECTION_BYTES * sections.length;
}

/** Returns one segment of a block after verifying its checksum. Throws `damaged-store`. */
export function readSegment(
  rows: Pick<BlockRows, "segment">,
  row: BlockRow,
  kind: keyof Block,
): Uint8Array {
  const bytes = rows.segment(kind, row.number);
  const wanted = kind === "plain" ? row.plain_crc : row.distribution_crc;
  if (bytes === undefined || bytes.length < 4 || checksumOf(bytes) !== wanted) {
    const why = bytes === undefined ? "is missing" : "is not the one that was written";
    throw new UserError("damaged-store", `the ${kind} segment ${why}`);
  }
  return bytes;
}

/** Returns all segments of a block. Throws `damaged-store`. */
export function readSegments(rows: Pick<BlockRows, "segment">, row: BlockRow): Segments {
  const plain = readSegment(rows, row, "plain");
  return row.kind === "points"
    ? { plain, distribution: readSegment(rows, row, "distribution") }
    : { plain };
}
