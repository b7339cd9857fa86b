/** Reading the bytes of blocks, and noticing where they are not those that were written. */

import { UserError } from "../../../model/errors.ts";
import type { Block } from "../../block/block.ts";
import { checksumOf } from "../../block/envelope.ts";
import type { BlockRow, BlockRows, Segments } from "./block-rows.ts";

/** One segment of a block. Throws `damaged-store`. */
export function readSegment(rows: BlockRows, row: BlockRow, kind: keyof Block): Uint8Array {
  const bytes = rows.segment(kind, row.number);
  const wanted = kind === "plain" ? row.plain_crc : row.distribution_crc;
  if (bytes === undefined || bytes.length < 4 || checksumOf(bytes) !== wanted) {
    const why = bytes === undefined ? "is missing" : "is not the one that was written";
    throw new UserError("damaged-store", `the ${kind} segment ${why}`);
  }
  return bytes;
}

/** All segments of a block. Throws `damaged-store`. */
export function readSegments(rows: BlockRows, row: BlockRow): Segments {
  const plain = readSegment(rows, row, "plain");
  return row.kind === "points"
    ? { plain, distribution: readSegment(rows, row, "distribution") }
    : { plain };
}
