import type { ServerResponse } from "node:http";
import type { HttpLog } from "../access-log.ts";
import { type Exchange, readerOf } from "../exchange.ts";
import type { LastResponse, ReadHead, Validity } from "../request/request-head-cache.ts";
import type { ResponseCache } from "./response-cache.ts";
import { REQUEST_ID } from "./common-headers.ts";
import { followSending } from "./guarded-writes.ts";
import type { LargeResponses } from "./large-responses.ts";
import { sendCachedBytes } from "./send-response.ts";
import type { HttpSettings } from "../settings.ts";

interface ServeCachedDependencies {
  readonly responseCache: Pick<ResponseCache, "find">;
  readonly now: () => number;
  readonly log: HttpLog;
  readonly settings: Pick<HttpSettings, "stallMs">;
  readonly largeResponses: LargeResponses;
}

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
  if (last === undefined || !isRight(last, now(), storeVersion)) return false;
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
    const way = { ...settings, largeResponses, reader: readerOf(exchange) };
    void followSending(exchange, dependencies, sendCachedBytes(response, cached, way));
  }
  return true;
}

function isRight({ untilMs, ...last }: Validity, nowMs: number, storeVersion: unknown): boolean {
  return nowMs < untilMs && storeVersion === last.storeVersion;
}
