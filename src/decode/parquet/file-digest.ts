import { createHash } from "node:crypto";

/**
 * A file holds the SHA-256 of itself in its metadata, computed with zeros in that place. The library that reads Parquet
 * trusts what files say, so that a damaged one could occupy it forever.
 */

const BEFORE = '"sha256":"';
export const NO_DIGEST = "0".repeat(64);

export class FileDigest {
  readonly #hash = createHash("sha256");

  update(chunk: Uint8Array): void {
    this.#hash.update(chunk);
  }

  /** Takes the last chunk, which holds `NO_DIGEST` in its metadata, and puts the digest there. */
  seal(last: Uint8Array): void {
    const bytes = asBuffer(last);
    const at = bytes.lastIndexOf(BEFORE + NO_DIGEST);
    if (at < 0) throw new Error("BUG: no place for the digest of a Parquet file");
    this.#hash.update(bytes);
    bytes.write(this.#hash.digest("hex"), at + BEFORE.length, "latin1");
  }
}

/** Whether a file is as it was written; `undefined` if it holds no digest. */
export function isIntact(file: Uint8Array): boolean | undefined {
  const bytes = asBuffer(file);
  const at = bytes.lastIndexOf(BEFORE);
  if (at < 0) return undefined;
  const from = at + BEFORE.length;
  const digest = bytes.toString("latin1", from, from + NO_DIGEST.length);
  const hash = createHash("sha256").update(bytes.subarray(0, from)).update(NO_DIGEST);
  return hash.update(bytes.subarray(from + NO_DIGEST.length)).digest("hex") === digest;
}

function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
