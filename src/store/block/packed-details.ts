/** Percentiles reported by load tools as compressed columns, and samples as compressed JSON. */

import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import {
  decodeReported,
  encodeReported,
  type ReportedPercentiles,
} from "../../model/reported-percentiles.ts";
import { UserError } from "../../model/errors.ts";
import type { SampleEntry } from "../../model/samples/child-spans.ts";

const CHECKED = { [constants.ZSTD_c_checksumFlag]: 1 };

export function packPercentiles(reported: ReportedPercentiles): Uint8Array {
  return zstdCompressSync(encodeReported(reported), { params: CHECKED });
}

/** `undefined` if the bytes are damaged. */
export function unpackPercentiles(bytes: Uint8Array): ReportedPercentiles | undefined {
  try {
    return decodeReported(zstdDecompressSync(bytes));
  } catch {
    return undefined;
  }
}

export function packSamples(samples: readonly SampleEntry[]): Uint8Array {
  return zstdCompressSync(JSON.stringify(samples), { params: CHECKED });
}

/** Throws `damaged-store`, naming their source. */
export function unpackSamples(bytes: Uint8Array, sourceId: string): readonly SampleEntry[] {
  try {
    return JSON.parse(zstdDecompressSync(bytes).toString()) as readonly SampleEntry[];
  } catch {
    throw new UserError("damaged-store", `the samples of source "${sourceId}" are damaged`);
  }
}
