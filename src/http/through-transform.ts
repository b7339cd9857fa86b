import type { Transform } from "node:stream";
import { createPieceWriter } from "./piece-writer.ts";

/**
 * What a transform makes of pieces as they come. Takes a piece only when the one before is used up;
 * stops asking for more as soon as its own reader stops. An error of `pieces` is thrown here, too.
 */
export async function* throughTransform(
  pieces: AsyncIterable<Uint8Array>,
  transform: Transform,
): AsyncGenerator<Uint8Array> {
  const feeding = feed(pieces, transform);
  try {
    for await (const made of transform) yield made as Uint8Array;
  } finally {
    transform.destroy();
    await feeding;
  }
}

async function feed(pieces: AsyncIterable<Uint8Array>, transform: Transform): Promise<void> {
  const write = createPieceWriter(transform);
  try {
    for await (const piece of pieces) await write(piece);
    transform.end();
  } catch (error) {
    transform.destroy(error as Error);
  }
}
