/**
 * Segments that were opened last. Answers come in the order of labels and blocks hold endpoints in
 * groups, so that a block is wanted several times; blocks never change, so nothing gets stale.
 */

import { UserError } from "../../model/errors.ts";
import { type DistributionSegment, openDistribution } from "../block/distribution-segment.ts";
import { checksumOf } from "../block/envelope.ts";
import { openPlain, type PlainSegment } from "../block/plain-segment.ts";
import type { BlockRow, BlockRows } from "./block-rows.ts";

const CACHE_BYTES_MAX = 32 * 1024 * 1024;
/** What an opened segment takes besides its bytes: its directory, and what it decoded last. */
const OPENED_BYTES = 4096;

interface Opened {
  readonly plain: PlainSegment;
  readonly plainBytes: Uint8Array;
  readonly distribution: DistributionSegment | undefined;
  readonly bytes: number;
}

export class SegmentCache {
  readonly #rows: BlockRows;
  /** The one used last is the last one. */
  readonly #opened = new Map<number, Opened>();
  #bytes = 0;

  constructor(rows: BlockRows) {
    this.#rows = rows;
  }

  /** The plain segment of a block. Throws `damaged-store`. */
  plain(row: BlockRow): PlainSegment {
    return this.#open(row, false).plain;
  }

  /** Both segments. Throws `damaged-store`. */
  both(row: BlockRow): {
    readonly plain: PlainSegment;
    readonly distribution: DistributionSegment;
  } {
    const { plain, distribution } = this.#open(row, true);
    if (distribution === undefined) throw new Error("BUG: a segment was not opened");
    return { plain, distribution };
  }

  #open(row: BlockRow, withDistribution: boolean): Opened {
    const found = this.#opened.get(row.number);
    const opened =
      found !== undefined && (found.distribution !== undefined || !withDistribution)
        ? found
        : this.#read(row, found, withDistribution);
    if (found !== undefined) this.#forget(row.number, found);
    this.#opened.set(row.number, opened);
    this.#bytes += opened.bytes;
    for (const [oldest, other] of this.#opened) {
      if (this.#bytes <= CACHE_BYTES_MAX || oldest === row.number) break;
      this.#forget(oldest, other);
    }
    return opened;
  }

  #read(row: BlockRow, found: Opened | undefined, withDistribution: boolean): Opened {
    const plainBytes = found?.plainBytes ?? this.#segment(row, "plain");
    const plain = found?.plain ?? openPlain(plainBytes);
    const bytes = plainBytes.length + OPENED_BYTES;
    if (!withDistribution) return { plain, plainBytes, distribution: undefined, bytes };
    const distributionBytes = this.#segment(row, "distribution");
    const distribution = openDistribution(distributionBytes, plain, plainBytes);
    // Compressed by a third at most, measured; the room is an estimate anyway.
    const opened = bytes + 2 * distributionBytes.length;
    return { plain, plainBytes, distribution, bytes: opened };
  }

  #segment(row: BlockRow, kind: "plain" | "distribution"): Uint8Array {
    const bytes = this.#rows.segment(kind, row.number);
    const wanted = kind === "plain" ? row.plain_crc : row.distribution_crc;
    if (bytes === undefined || bytes.length < 4 || checksumOf(bytes) !== wanted) {
      const why = bytes === undefined ? "is missing" : "is not the one that was written";
      throw new UserError("damaged-store", `the ${kind} segment ${why}`);
    }
    return bytes;
  }

  #forget(number: number, opened: Opened): void {
    this.#opened.delete(number);
    this.#bytes -= opened.bytes;
  }
}
