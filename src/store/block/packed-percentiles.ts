/** Percentiles that tools computed themselves, as SQLite keeps them: their columns, compressed. */

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

/** `undefined` where the bytes are damaged. */
export function unpackPercentiles(bytes: Uint8Array): ReportedPercentiles | undefined {
  try {
    return decodeReported(zstdDecompressSync(bytes));
  } catch {
    return undefined;
  }
}
