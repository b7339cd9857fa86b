import type { ServerResponse } from "node:http";
import type { HttpLog } from "../access-log.ts";
import { type Exchange, readerOf } from "../exchange.ts";
import type { ReadHead, Validity } from "../request/request-head-cache.ts";
import type { ResponseCache } from "./response-cache.ts";
import { REQUEST_ID } from "./common-headers.ts";
import { followSending } from "./guarded-writes.ts";
import type { LargeResponses } from "./large-responses.ts";
import { sendKeptBytes } from "./send-response.ts";
import type { HttpSettings } from "../settings.ts";

/** What is needed to answer again. */
interface AgainDependencies {
  readonly answers: Pick<ResponseCache, "find">;
  readonly now: () => number;
  readonly log: HttpLog;
  readonly settings: Pick<HttpSettings, "stallMs">;
  readonly largeAnswers: LargeResponses;
}

/** Remembers what was sent to a head that had come before. */
export function cacheResponse(
  { response, keyName }: Exchange,
  head: ReadHead,
  validity: Validity,
  bytesName: string,
): void {
  const names = (response as WithRawNames).getRawHeaderNames();
  head.lastAnswer = {
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
  dependencies: AgainDependencies,
): boolean {
  const { answers, now, settings, largeAnswers } = dependencies;
  const answer = head.lastAnswer;
  if (answer === undefined || !isRight(answer, now(), storeVersion)) return false;
  const { bytesName, status, headers } = answer;
  const kept = bytesName === undefined ? undefined : answers.find(bytesName);
  if (bytesName !== undefined && kept === undefined) return false;
  if (!largeAnswers.hasRoomFor(kept?.bytes.length ?? 0)) return false;
  exchange.route = head.route;
  exchange.loggedTarget = head.loggedTarget;
  exchange.keyName = answer.keyName;
  const { response, requestId } = exchange;
  response.writeHead(status, [REQUEST_ID, requestId, ...headers]);
  if (kept === undefined) response.end();
  else {
    const way = { ...settings, largeAnswers, reader: readerOf(exchange) };
    void followSending(exchange, dependencies, sendKeptBytes(response, kept, way));
  }
  return true;
}

function isRight({ untilMs, ...last }: Validity, nowMs: number, storeVersion: unknown): boolean {
  return nowMs < untilMs && storeVersion === last.storeVersion;
}
