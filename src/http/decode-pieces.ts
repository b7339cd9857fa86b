import { createGunzip, createZstdDecompress } from "node:zlib";
import { HttpError } from "./http-error.ts";
import { throughTransform } from "./through-transform.ts";

const DECODERS = { gzip: () => createGunzip(), zstd: () => createZstdDecompress() };

/** Undoes a content coding as the pieces come. Throws `bad-body`, and what `pieces` throws. */
export async function* decodePieces(
  pieces: AsyncIterable<Uint8Array>,
  coding: "identity" | keyof typeof DECODERS,
): AsyncGenerator<Uint8Array> {
  if (coding === "identity") {
    yield* pieces;
    return;
  }
  try {
    yield* throughTransform(pieces, DECODERS[coding]());
  } catch (error) {
    if (error instanceof HttpError) throw error;
    throw new HttpError("bad-body", `cannot undo the Content-Encoding ${coding} of the body`);
  }
}

/** Hands pieces on until they are more than `bytesMax`. Throws `body-too-large`. */
export async function* limitBytes(
  pieces: AsyncIterable<Uint8Array>,
  bytesMax: number,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const piece of pieces) {
    bytes += piece.length;
    if (bytes > bytesMax) {
      throw new HttpError(
        "body-too-large",
        `cannot take more than ${bytesMax} bytes of a body, decoded or not`,
      );
    }
    yield piece;
  }
}
