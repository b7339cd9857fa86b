import type { HttpLog } from "../access-log.ts";
import { type Exchange, readerOf } from "../exchange.ts";
import { type Coding, chooseCoding } from "../request/negotiation.ts";
import type { ParameterValues } from "../request/parameters.ts";
import { hasBody } from "../request/transport-checks.ts";
import type { Answer, Call, MadeOf, Route } from "../route.ts";
import type { HttpSettings } from "../settings.ts";
import { followSending } from "./guarded-writes.ts";
import type { LargeResponses } from "./large-responses.ts";
import type { CachedResponse, ResponseCache, CacheWriter } from "./response-cache.ts";
import {
  type Compressions,
  type Sending,
  sendCachedResponse,
  sendResponse,
} from "./send-response.ts";

/** What responding needs besides the request and its route. */
export interface ResponseDependencies {
  readonly settings: HttpSettings;
  readonly log: HttpLog;
  readonly compressions: Compressions;
  readonly largeResponses: LargeResponses;
  /** Those that anybody may ask for: readers without a key take no place of those with one. */
  readonly largePublicResponses: LargeResponses;
  readonly responseCache: ResponseCache;
  /** Changes whenever the data of a load test do; `undefined` where there is none. */
  readonly revisionOf: (loadTestId: string) => Promise<string | undefined>;
}

/** A request that passed all checks. */
interface CheckedRequest {
  readonly route: Route;
  readonly values: ParameterValues;
  readonly coding: Coding;
  readonly call: Call;
}

/**
 * Sends the response that is cached, or what the route's handler makes of the request. Returns the
 * cache key of a cached response. Throws as long as nothing was sent.
 */
export async function handleRequest(
  exchange: Exchange,
  { route, values, coding, call }: CheckedRequest,
  dependencies: ResponseDependencies,
): Promise<string | undefined> {
  const entry = await findCacheEntry(route, values, dependencies);
  const cached = entry?.find(coding);
  if (entry !== undefined && cached !== undefined) {
    const { settings, largeResponses } = dependencies;
    const way = { stallMs: settings.stallMs, largeResponses, reader: readerOf(exchange) };
    const sent = sendCachedResponse(exchange.request, exchange.response, cached, way);
    await followSending(exchange, dependencies, sent);
    return entry.keyOf(coding);
  }
  const answer = await route.handle(values, call);
  const isPrivate = route.scope !== undefined;
  // What has changed since the key was made is not to be found under the old one.
  const cacheWriter = entry?.besides === answer.besides ? entry?.cacheWriter : undefined;
  await sendNew(exchange, answer, { coding, isPrivate, cacheWriter, dependencies });
  return undefined;
}

interface NewAnswer extends Pick<Sending, "coding" | "isPrivate" | "cacheWriter"> {
  readonly dependencies: ResponseDependencies;
}

async function sendNew(
  exchange: Exchange,
  answer: Answer,
  { dependencies, ...sending }: NewAnswer,
): Promise<void> {
  const { request, response } = exchange;
  // What was not read of a body cannot be told from a next request.
  if (hasBody(request) && !exchange.isBodyRead) response.shouldKeepAlive = false;
  const plain = chooseCoding(request.headers["accept-encoding"], ["identity"]);
  try {
    const sent = sendResponse(request, response, answer, {
      ...sending,
      isPlainAccepted: plain !== undefined,
      compressions: dependencies.compressions,
      largeResponses: sending.isPrivate
        ? dependencies.largeResponses
        : dependencies.largePublicResponses,
      reader: readerOf(exchange),
      stallMs: dependencies.settings.stallMs,
    });
    await followSending(exchange, dependencies, sent);
  } finally {
    answer.release();
  }
}

interface CacheEntry extends Pick<MadeOf, "besides"> {
  readonly keyOf: (coding: Coding) => string;
  find(coding: Coding): CachedResponse | undefined;
  readonly cacheWriter: (coding: Coding) => CacheWriter;
}

/** Where the response is cached, if nothing but these parameters and the data of load tests make it. */
async function findCacheEntry(
  { operationId, madeOf }: Route,
  values: ParameterValues,
  { responseCache, revisionOf }: ResponseDependencies,
): Promise<CacheEntry | undefined> {
  if (madeOf === undefined) return undefined;
  const { loadTestIds, ...others } = await madeOf(values);
  const revisions = await Promise.all(loadTestIds.map((id) => revisionOf(id)));
  if (revisions.includes(undefined)) return undefined;
  const keyOf = (coding: Coding): string =>
    JSON.stringify([operationId, coding, revisions, others.besides ?? null, ...values]);
  return {
    ...others,
    keyOf,
    find: (coding) => responseCache.find(keyOf(coding)),
    cacheWriter: (coding) => responseCache.writer(keyOf(coding)),
  };
}
