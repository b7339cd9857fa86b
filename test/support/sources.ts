import { createCipheriv } from "node:crypto";
import { openSource, type SourceEnd, type SourceOptions } from "../../src/source/open-source.ts";

export const MARK = "\uFEFF";

/** Rows of text that compress about as well as results do. */
export function textRows(count: number): string {
  return Array.from({ length: count }, (_, row) => `row ${row} 商品 ${row * 7919}\n`).join("");
}

/** A skippable zstd frame with `bytes` bytes of content. */
export function skippableFrame(bytes: number): Buffer {
  const head = Buffer.from([0x5e, 0x2a, 0x4d, 0x18, 0, 0, 0, 0]);
  head.writeUInt32LE(bytes, 4);
  return Buffer.concat([head, Buffer.alloc(bytes, 1)]);
}

/** `bytes` in chunks of `size`, all in one buffer: a chunk is invalid once the next one is read. */
export async function* cutInto(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  const memory = Buffer.alloc(size);
  for (let at = 0; at < bytes.length; at += size) {
    const piece = bytes.subarray(at, at + size);
    memory.set(piece);
    yield memory.subarray(0, piece.length);
  }
}

interface Reading {
  readonly text: string;
  readonly end: SourceEnd;
}

/** The result of reading a source whose bytes arrive in chunks of `size`. */
export async function readSource(
  bytes: Uint8Array,
  size = 65_536,
  options?: SourceOptions,
): Promise<Reading> {
  const source = openSource(cutInto(bytes, size), options);
  const pieces: Buffer[] = [];
  for await (const piece of source.bytes()) pieces.push(Buffer.from(piece));
  return { text: Buffer.concat(pieces).toString(), end: source.end() };
}

/**
 * The digest of bytes in memory; `source-digest.test.ts` has digests computed by another program.
 */
export function digestOf(bytes: Uint8Array): string {
  const cipher = createCipheriv("aes-128-gcm", "tachograph bytes", Buffer.alloc(12));
  cipher.setAAD(bytes).final();
  return `gmac:${cipher.getAuthTag().toString("hex")}`;
}
