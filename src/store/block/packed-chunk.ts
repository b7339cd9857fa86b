/** Parts of kept files, compressed with a checksum, beside the thread. */

import { promisify } from "node:util";
import { constants, zstdCompress, zstdDecompress } from "node:zlib";

const FAST = {
  params: { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 },
};

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

export function packChunk(plain: Uint8Array): Promise<Uint8Array> {
  return compress(plain, FAST);
}

/** `undefined` if the bytes are damaged, or more than `bytesMax`. */
export async function unpackChunk(
  packed: Uint8Array,
  bytesMax: number,
): Promise<Uint8Array | undefined> {
  try {
    return await decompress(packed, { maxOutputLength: bytesMax });
  } catch {
    return undefined;
  }
}
