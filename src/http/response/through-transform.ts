import type { Transform, Writable } from "node:stream";

/**
 * What a transform makes of chunks as they come. Takes a chunk only when the one before is used up;
 * stops asking for more as soon as its own reader stops. An error of `chunks` is thrown here, too.
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

/** The other side went away, or was cut off, before all was written. */
export class WriteAborted extends Error {}

/**
 * Writes chunks one after the other: each promise is fulfilled when the stream has no more need of
 * the chunk's bytes, so that they can be written again. Rejects once the stream is closed.
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
      // Not every stream answers a write that its end overtakes.
      abort = reject;
      stream.write(chunk, (error) => {
        if (error === null || error === undefined) resolve();
        else reject(new WriteAborted("write failed", { cause: error }));
      });
    });
}
