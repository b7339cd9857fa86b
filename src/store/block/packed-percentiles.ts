/** Percentiles reported by load tools as compressed columns, for SQLite. */

import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import {
  decodeReported,
  encodeReported,
  type ReportedPercentiles,
} from "../../model/reported-percentiles.ts";

export function packPercentiles(reported: ReportedPercentiles): Uint8Array {
  const params = { [constants.ZSTD_c_checksumFlag]: 1 };
  return zstdCompressSync(encodeReported(reported), { params });
}

/** `undefined` if the bytes are damaged. */
export function unpackPercentiles(bytes: Uint8Array): ReportedPercentiles | undefined {
  try {
    return decodeReported(zstdDecompressSync(bytes));
  } catch {
    return undefined;
  }
}
