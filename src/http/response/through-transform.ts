import type { Transform, Writable } from "node:stream";
import { constants, createBrotliCompress, createGzip, createZstdCompress } from "node:zlib";
import type { Coding } from "../negotiation.ts";

/**
 * Compresses a stream of chunks, with backpressure: reads the next chunk only when the previous one is
 * consumed, and stops when its reader stops. Throws errors of `chunks`.
 */
export function encodeChunks(
  chunks: AsyncIterable<Uint8Array>,
  coding: Coding,
): AsyncIterable<Uint8Array> {
  return coding === "identity" ? chunks : throughTransform(chunks, ENCODERS[coding]());
}

/**
 * Fast settings with windows of 256 KiB: brotli then takes 1 MB instead of 13 per stalled reader, and
 * returns its first bytes after 4 ms instead of 112 (24 MB of xy).
 */
const WINDOW_BITS = 18;

const ENCODERS: Record<Exclude<Coding, "identity">, () => Transform> = {
  gzip: () => createGzip({ level: 1 }),
  br: () =>
    createBrotliCompress({
      params: {
        [constants.BROTLI_PARAM_QUALITY]: 4,
        [constants.BROTLI_PARAM_LGWIN]: WINDOW_BITS,
      },
    }),
  zstd: () => createZstdCompress({ params: { [constants.ZSTD_c_windowLog]: WINDOW_BITS } }),
};

/**
 * Pipes chunks through a transform, with backpressure; stops when its reader stops. Throws errors of
 * `chunks`.
 */
export async function* throughTransform(
  chunks: AsyncIterable<Uint8Array>,
  transform: Transform,
): AsyncGenerator<Uint8Array> {
  const feeding = feed(chunks, transform);
  try {
    for await (const made of transform) yield made as Uint8Array;
  } finally {
    transform.destroy();
    await feeding;
  }
}

async function feed(chunks: AsyncIterable<Uint8Array>, transform: Transform): Promise<void> {
  const write = createChunkWriter(transform);
  try {
    for await (const chunk of chunks) await write(chunk);
    transform.end();
  } catch (error) {
    transform.destroy(error as Error);
  }
}

/** The peer disconnected, or was disconnected, before everything was written. */
export class WriteAborted extends Error {}

/**
 * Writes chunks in order: each promise resolves when the stream no longer needs the chunk's bytes, so
 * that their buffer can be reused. Rejects once the stream is closed.
 */
export function createChunkWriter(stream: Writable): (chunk: Uint8Array) => Promise<void> {
  let abort: ((reason: WriteAborted) => void) | undefined;
  stream.once("close", () => abort?.(new WriteAborted("closed")));
  return (chunk) =>
    new Promise((resolve, reject) => {
      if (stream.destroyed || stream.closed) {
        reject(new WriteAborted("closed already"));
        return;
      }
      // Some streams never call back for a write that is pending when they end.
      abort = reject;
      stream.write(chunk, (error) => {
        if (error === null || error === undefined) resolve();
        else reject(new WriteAborted("write failed", { cause: error }));
      });
    });
}
