import type { IncomingMessage, ServerResponse } from "node:http";
import type { CachedResponse } from "./response-cache.ts";
import { type SendOutcome, endAtOnce, sendGuarded, untilClosed } from "./guarded-writes.ts";
import { type Sending, sendHeadAlone } from "./send-response.ts";
import { createChunkWriter } from "./through-transform.ts";

/** Large, since each write costs a turn; a slow client must read this much within `stallMs`. */
const CACHED_CHUNK_BYTES = 256 * 1024;

type CachedSending = Pick<Sending, "stallMs" | "largeResponses" | "reader">;

/** Sends a cached response, under the same conditions as `sendResponse`. */
export async function sendCachedResponse(
  request: IncomingMessage,
  response: ServerResponse,
  cached: CachedResponse,
  way: CachedSending,
): Promise<SendOutcome> {
  const { headers, bytes } = cached;
  if (sendHeadAlone(request, response, { status: 200, headers })) return "sent";
  way.largeResponses.requireRoomFor(bytes.length, way.reader);
  response.writeHead(200, { ...headers, "Content-Length": String(bytes.length) });
  return (await sendCachedBytes(response, cached, way)) ?? "sent";
}

/** Sends the bytes of a cached response after its head. Returns `undefined` if they are sent already. */
function sendCachedBytes(
  response: ServerResponse,
  cached: CachedResponse,
  way: CachedSending,
): Promise<SendOutcome> | undefined {
  const isOneChunk = cached.bytes.length <= CACHED_CHUNK_BYTES;
  if (isOneChunk && endAtOnce(response, cached.bytes)) return undefined;
  return lendCached(response, cached, way);
}

/** Sends what `sendCachedBytes` has not; counts the reader. */
async function lendCached(
  response: ServerResponse,
  cached: CachedResponse,
  { stallMs, largeResponses, reader }: CachedSending,
): Promise<SendOutcome> {
  const { bytes } = cached;
  const send = async (): Promise<SendOutcome> => {
    if (bytes.length > CACHED_CHUNK_BYTES) {
      let sent = 0;
      const outcome = await sendGuarded(response, stallMs, async (guard) => {
        const write = createChunkWriter(response);
        for (; bytes.length - sent > CACHED_CHUNK_BYTES; sent += CACHED_CHUNK_BYTES) {
          await guard(write(bytes.subarray(sent, sent + CACHED_CHUNK_BYTES)));
        }
      });
      if (outcome !== "sent") return outcome;
      if (endAtOnce(response, bytes.subarray(sent))) return "sent";
    }
    return await untilClosed(response, stallMs);
  };
  cached.readers += 1;
  try {
    return await largeResponses.count(response, { bytes: bytes.length, reader }, send);
  } finally {
    cached.readers -= 1;
  }
}
