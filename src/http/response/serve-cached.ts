import type { IncomingMessage, ServerResponse } from "node:http";
import type { HttpLog } from "../access-log.ts";
import { type Exchange, readerOf } from "../exchange.ts";
import type { LastResponse, ReadHead } from "../request/request-head-cache.ts";
import type { CachedResponse, ResponseCache } from "./response-cache.ts";
import { REQUEST_ID } from "./common-headers.ts";
import {
  type SendOutcome,
  endAtOnce,
  followSending,
  sendGuarded,
  untilClosed,
} from "./guarded-writes.ts";
import type { LargeResponses } from "./large-responses.ts";
import { type Sending, sendHeadAlone } from "./send-response.ts";
import { createChunkWriter } from "./through-transform.ts";
import type { HttpSettings } from "../settings.ts";

interface ServeCachedDependencies {
  readonly responseCache: Pick<ResponseCache, "find">;
  readonly now: () => number;
  readonly log: HttpLog;
  readonly settings: Pick<HttpSettings, "stallMs">;
  readonly largeResponses: LargeResponses;
}

/** Large, since each write costs a turn; a slow client must read this much within `stallMs`. */
const CACHED_CHUNK_BYTES = 256 * 1024;

type CachedSending = Pick<Sending, "stallMs" | "largeResponses" | "reader">;

/** Records the response to a cached head. */
export function cacheResponse(
  { response, keyName }: Exchange,
  head: ReadHead,
  validity: Pick<LastResponse, "storeVersion" | "untilMs" | "report">,
  bytesName: string,
): void {
  const names = (response as WithRawNames).getRawHeaderNames();
  head.lastResponse = {
    ...validity,
    keyName,
    status: response.statusCode,
    headers: names
      .filter((name) => name !== REQUEST_ID)
      .flatMap((name) => [name, String(response.getHeader(name))]),
    bytesName: response.hasHeader("Content-Length") ? bytesName : undefined,
  };
}

/** Exists in Node, but not in its types. */
type WithRawNames = ServerResponse & { getRawHeaderNames(): readonly string[] };

/**
 * Repeats the last response to a head if nothing in the store, keys included, has changed and the key
 * has not expired; otherwise does nothing. `storeVersion` must have been read after the request arrived.
 */
export function serveCached(
  exchange: Exchange,
  head: ReadHead,
  storeVersion: unknown,
  dependencies: ServeCachedDependencies,
): boolean {
  const { responseCache, now, settings, largeResponses } = dependencies;
  const last = head.lastResponse;
  if (last === undefined || last.storeVersion !== storeVersion) return false;
  if (now() >= last.untilMs) return false;
  const { bytesName, status, headers } = last;
  const cached = bytesName === undefined ? undefined : responseCache.find(bytesName);
  if (bytesName !== undefined && cached === undefined) return false;
  if (!largeResponses.hasRoomFor(cached?.bytes.length ?? 0)) return false;
  exchange.route = head.route;
  exchange.report = last.report;
  exchange.keyName = last.keyName;
  const { response, requestId } = exchange;
  response.writeHead(status, [REQUEST_ID, requestId, ...headers]);
  if (cached === undefined) response.end();
  else {
    const way = { stallMs: settings.stallMs, largeResponses, reader: readerOf(exchange) };
    const sending = sendCachedBytes(response, cached, way);
    if (sending !== undefined) void followSending(exchange, dependencies, sending);
  }
  return true;
}

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
