import type { Writable } from "node:stream";

/** The other side went away, or was cut off, before all was written. */
export class WriteAborted extends Error {}

/**
 * Writes pieces one after the other: each promise is fulfilled when the stream has no more need of
 * the piece's bytes, so that they can be written again. Rejects once the stream is closed.
 */
export function createPieceWriter(stream: Writable): (piece: Uint8Array) => Promise<void> {
  let abort: ((reason: WriteAborted) => void) | undefined;
  stream.once("close", () => abort?.(new WriteAborted("closed")));
  return (piece) =>
    new Promise((resolve, reject) => {
      if (stream.destroyed || stream.closed) {
        reject(new WriteAborted("closed already"));
        return;
      }
      // Not every stream answers a write that its end overtakes.
      abort = reject;
      stream.write(piece, (error) => {
        if (error === null || error === undefined) resolve();
        else reject(new WriteAborted("write failed", { cause: error }));
      });
    });
}
