import { constants, createGunzip, createZstdDecompress } from "node:zlib";
import { releaseMemory } from "../../concurrency/release-memory.ts";
import { ZstdFrame } from "../../source/zstd.ts";
import { HttpError } from "../response/http-error.ts";
import { throughTransform } from "../response/through-transform.ts";

/** RFC 9659: over HTTP a window of zstd has at most 8 MB; Node's own limit would be 128. */
const WINDOW_BITS_MAX = 23;

/** As much for each trip through another thread, and not of the pool of Node, whose memory cannot be freed at once. */
const OUTPUT_BYTES = 128 * 1024;

const DECODERS = {
  gzip: () => createGunzip({ chunkSize: OUTPUT_BYTES }),
  zstd: () =>
    createZstdDecompress({
      chunkSize: OUTPUT_BYTES,
      params: { [constants.ZSTD_d_windowLogMax]: WINDOW_BITS_MAX },
    }),
};

/** Decompresses a stream of chunks, whose memory it frees. Throws `bad-body`, and errors of `chunks`. */
export async function* decodeChunks(
  chunks: AsyncIterable<Uint8Array>,
  coding: "identity" | keyof typeof DECODERS,
): AsyncGenerator<Uint8Array> {
  if (coding === "identity") {
    yield* chunks;
    return;
  }
  const decoder = DECODERS[coding]();
  const frame = new ZstdFrame();
  let givenBytes = 0;
  let ownBytes = 0;
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      givenBytes += chunk.length;
      ownBytes += coding === "zstd" ? frame.take(chunk) : chunk.length;
      yield chunk;
      releaseMemory(chunk);
    }
  }
  try {
    yield* throughTransform(counted(), decoder);
  } catch (error) {
    if (error instanceof HttpError) throw error;
    throw new HttpError("bad-body", `cannot decode the body (Content-Encoding: ${coding})`);
  }
  if (coding === "zstd" && !frame.isWhole) {
    throw new HttpError("bad-body", "cannot decompress the body (Content-Encoding: zstd)");
  }
  // Node silently drops input behind the end of the stream, or decodes further frames.
  if (decoder.bytesWritten !== givenBytes || ownBytes !== givenBytes) {
    throw new HttpError(
      "bad-body",
      `unexpected bytes after the end of the ${coding} stream of the body`,
    );
  }
}

/** A body's length limit, and the setting that changes it, if any. */
export interface BodyLimit {
  readonly bytesMax: number;
  readonly bytesSetting?: string | undefined;
}

/** The limit as error messages name it. */
export function limitText({ bytesMax, bytesSetting }: BodyLimit): string {
  return bytesSetting === undefined ? `${bytesMax}` : `${bytesMax} (${bytesSetting})`;
}

/** Passes chunks through up to `limit`. Throws `body-too-large`. */
export async function* limitBytes(
  chunks: AsyncIterable<Uint8Array>,
  limit: BodyLimit,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > limit.bytesMax) {
      throw new HttpError(
        "body-too-large",
        `body too long: expected at most ${limitText(limit)} bytes, before and after decoding`,
      );
    }
    yield chunk;
  }
}
