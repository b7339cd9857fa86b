import { decodeChunks, limitBytes, limitText } from "../request/decode-chunks.ts";
import { incomplete } from "../request/open-body.ts";
import { HttpError, quoted } from "../response/http-error.ts";
import type { StreamPlan } from "../route.ts";

/** One byte that says whether the message is compressed, and its length in four (big endian). */
const PREFIX_BYTES = 5;

/**
 * The bytes of the only message of a call, decompressed. Throws `bad-body`, `body-incomplete`, `body-too-large`, `unsupported-media-type`, and errors
 * of `chunks`.
 */
export async function* messageIn(
  chunks: AsyncIterable<Uint8Array>,
  coding: string,
  plan: StreamPlan,
): AsyncGenerator<Uint8Array> {
  const rest = chunks[Symbol.asyncIterator]();
  const { prefix, start } = await readPrefix(rest);
  const bytes = prefix.readUInt32BE(1);
  if (bytes > plan.bytesMax) {
    throw new HttpError(
      "body-too-large",
      `message of ${bytes} bytes is too long: expected at most ${limitText(plan)}`,
    );
  }
  const sent = exactly(bytes, start, rest);
  if (prefix[0] === 0) yield* sent;
  else yield* limitBytes(decodeChunks(sent, codingOf(prefix[0], coding)), plan);
}

async function readPrefix(
  chunks: AsyncIterator<Uint8Array>,
): Promise<{ readonly prefix: Buffer; readonly start: Uint8Array }> {
  let read = Buffer.alloc(0);
  while (read.length < PREFIX_BYTES) {
    const chunk = await chunks.next();
    if (chunk.done === true) throw incomplete();
    read = Buffer.concat([read, chunk.value]);
  }
  return { prefix: read.subarray(0, PREFIX_BYTES), start: read.subarray(PREFIX_BYTES) };
}

/** Each chunk has its own memory: those of Node share one buffer, also with other calls of the connection. */
async function* exactly(
  bytes: number,
  start: Uint8Array,
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let left = bytes;
  for (let chunk = start; ;) {
    left -= chunk.length;
    if (left < 0) throw new HttpError("bad-body", "expected one message, and nothing behind it");
    if (chunk.length > 0) yield new Uint8Array(chunk);
    const next = await rest.next();
    if (next.done === true) break;
    chunk = next.value;
  }
  if (left > 0) throw incomplete();
}

function codingOf(flag: number | undefined, coding: string): "gzip" | "zstd" {
  if (flag !== 1) throw new HttpError("bad-body", "the body is not a message of gRPC");
  if (coding === "gzip" || coding === "zstd") return coding;
  throw new HttpError(
    "unsupported-media-type",
    `unsupported grpc-encoding ${quoted(coding)}: expected gzip, zstd or identity`,
  );
}

/** A message, uncompressed. */
export function framed(message: Uint8Array): Buffer {
  const prefix = Buffer.alloc(PREFIX_BYTES);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}
