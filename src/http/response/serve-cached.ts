import type { ServerResponse } from "node:http";
import type { HttpLog } from "../access-log.ts";
import { type Exchange, readerOf } from "../exchange.ts";
import type { ReadHead, Validity } from "../request/request-head-cache.ts";
import type { ResponseCache } from "./response-cache.ts";
import { REQUEST_ID } from "./common-headers.ts";
import { followSending } from "./guarded-writes.ts";
import type { LargeResponses } from "./large-responses.ts";
import { sendCachedBytes } from "./send-response.ts";
import type { HttpSettings } from "../settings.ts";

/** What is needed to answer again. */
interface ServeCachedDependencies {
  readonly responseCache: Pick<ResponseCache, "find">;
  readonly now: () => number;
  readonly log: HttpLog;
  readonly settings: Pick<HttpSettings, "stallMs">;
  readonly largeResponses: LargeResponses;
}

/** Remembers what was sent to a head that had come before. */
export function cacheResponse(
  { response, keyName }: Exchange,
  head: ReadHead,
  validity: Validity,
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

/** Node has the names as they were written, its types do not. */
type WithRawNames = ServerResponse & { getRawHeaderNames(): readonly string[] };

/**
 * Answers a head as it was answered before, if nothing has changed since: neither anything in the
 * store, its key among it, nor is that key's time over. Otherwise nothing is done. `storeVersion`
 * must have been asked for after the request had come.
 */
export function serveCached(
  exchange: Exchange,
  head: ReadHead,
  storeVersion: unknown,
  dependencies: ServeCachedDependencies,
): boolean {
  const { responseCache, now, settings, largeResponses } = dependencies;
  const last = head.lastResponse;
  if (last === undefined || !isRight(last, now(), storeVersion)) return false;
  const { bytesName, status, headers } = last;
  const cached = bytesName === undefined ? undefined : responseCache.find(bytesName);
  if (bytesName !== undefined && cached === undefined) return false;
  if (!largeResponses.hasRoomFor(cached?.bytes.length ?? 0)) return false;
  exchange.route = head.route;
  exchange.loggedTarget = head.loggedTarget;
  exchange.keyName = last.keyName;
  const { response, requestId } = exchange;
  response.writeHead(status, [REQUEST_ID, requestId, ...headers]);
  if (cached === undefined) response.end();
  else {
    const way = { ...settings, largeResponses, reader: readerOf(exchange) };
    void followSending(exchange, dependencies, sendCachedBytes(response, cached, way));
  }
  return true;
}

function isRight({ untilMs, ...last }: Validity, nowMs: number, storeVersion: unknown): boolean {
  return nowMs < untilMs && storeVersion === last.storeVersion;
}
