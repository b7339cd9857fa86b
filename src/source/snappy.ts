import { snappyUncompress } from "hyparquet/src/snappy.js";
import { UserError } from "../model/errors.ts";

const VARINT_BYTES_MAX = 5;

/** Decompresses a block of Snappy, which begins with its length. Throws `bad-batch`. */
export function decompressSnappy(block: Uint8Array, bytesMax: number): Uint8Array {
  const length = lengthOf(block);
  if (length > bytesMax) {
    throw new UserError(
      "bad-batch",
      `the body is too large: ${length} bytes uncompressed, want at most ${bytesMax}; send fewer series at once`,
    );
  }
  const bytes = new Uint8Array(length);
  try {
    snappyUncompress(block, bytes);
  } catch {
    throw notSnappy();
  }
  return bytes;
}

function lengthOf(block: Uint8Array): number {
  let length = 0;
  for (const [at, byte] of block.subarray(0, VARINT_BYTES_MAX).entries()) {
    length += (byte & 0x7f) * 2 ** (7 * at);
    if (byte < 0x80) return length;
  }
  throw notSnappy();
}

function notSnappy(): UserError {
  return new UserError("bad-batch", "cannot decompress the body: want one block of Snappy");
}
