import { type CsvTable, csvTable } from "../render/csv-table.ts";
import type { HttpLog } from "./access-log.ts";
import { type Exchange, hasBody, readerOf } from "./exchange.ts";
import { type Coding, chooseCoding } from "./negotiation.ts";
import type { ParameterValues } from "./request/parameters.ts";
import type { CacheInputs, Call, Route, RouteResponse } from "./route.ts";
import type { KeyView } from "./key-view.ts";
import type { HttpSettings } from "./settings.ts";
import { followSending } from "./response/guarded-writes.ts";
import type { Handle } from "./record-changes.ts";
import type { LargeResponses } from "./response/large-responses.ts";
import type { ResponseCache } from "./response/response-cache.ts";
import { type Compressions, type Sending, sendResponse } from "./response/send-response.ts";
import { sendCachedResponse } from "./response/send-cached.ts";

export interface ResponseDependencies {
  readonly settings: HttpSettings;
  readonly log: HttpLog;
  readonly compressions: Compressions;
  readonly largeResponses: LargeResponses;
  /** Counted apart, so that clients without a key cannot crowd out those with one. */
  readonly largePublicResponses: LargeResponses;
  readonly responseCache: ResponseCache;
  /** Calls the route's handler. */
  readonly handle: Handle;
  /** Changes with the data of a load test; `undefined` if it does not exist. */
  readonly revisionOf: (loadTestId: string) => Promise<string | undefined>;
}

export interface CheckedRequest {
  readonly route: Route;
  /** What the key sees; `undefined`: all that belongs to no project. */
  readonly view: KeyView | undefined;
  readonly values: ParameterValues;
  readonly coding: Coding;
  /** The response is CSV. */
  readonly csv?: CsvTable;
  readonly call: Call;
}

/** Sends the cached response, or the response of the route's handler. Throws errors from before the first byte. */
export async function handleRequest(
  exchange: Exchange,
  { route, view, values, coding, csv, call }: CheckedRequest,
  dependencies: ResponseDependencies,
): Promise<void> {
  const { settings, largeResponses, responseCache } = dependencies;
  const entry = csv ? undefined : await findCacheEntry(route, { view, values }, dependencies);
  const cached = entry && responseCache.find(entry.keyOf(coding));
  if (entry !== undefined && cached !== undefined) {
    const way = { stallMs: settings.stallMs, largeResponses, reader: readerOf(exchange) };
    const sent = sendCachedResponse(exchange.request, exchange.response, cached, way);
    await followSending(exchange, dependencies, sent);
    return;
  }
  const given = await dependencies.handle(route, values, call);
  const answer = csv === undefined ? given : csvResponse(given, csv);
  const isPrivate = route.scope !== undefined;
  // A change since the cache key was made must not be cached under the old key.
  const cacheWriter =
    entry === undefined || entry.besides !== answer.besides
      ? undefined
      : (sent: Coding) => responseCache.writer(entry.keyOf(sent));
  await sendNew(exchange, answer, { coding, isPrivate, cacheWriter }, dependencies);
}

/** Not cached: it may have more pages than the response that it is made of. */
function csvResponse(given: RouteResponse, csv: CsvTable): RouteResponse {
  const { items = () => [] } = given;
  const contentType = "text/csv; charset=utf-8";
  const encoder = new TextEncoder();
  return {
    ...given,
    contentType,
    tagParts: undefined,
    async *chunks() {
      for await (const text of csvTable(csv, items())) yield encoder.encode(text);
    },
  };
}

async function sendNew(
  exchange: Exchange,
  answer: RouteResponse,
  sending: Pick<Sending, "coding" | "isPrivate" | "cacheWriter">,
  dependencies: ResponseDependencies,
): Promise<void> {
  const { request, response } = exchange;
  // The unread rest of a body would be taken for the next request.
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

interface CacheEntry {
  readonly besides: CacheInputs["besides"] | undefined;
  readonly keyOf: (coding: Coding) => string;
}

/** The cache entry; `undefined` if the response depends on more than parameters and load tests. */
async function findCacheEntry(
  { operationId, cacheInputs }: Route,
  { view, values }: Pick<CheckedRequest, "view" | "values">,
  dependencies: ResponseDependencies,
): Promise<CacheEntry | undefined> {
  if (cacheInputs === undefined) return undefined;
  const { loadTestIds, besides } = await cacheInputs(values);
  const { revisionOf } = view ?? dependencies;
  const revisions = await Promise.all(loadTestIds.map((id) => revisionOf(id)));
  if (revisions.includes(undefined)) return undefined;
  const keyOf = (coding: Coding): string =>
    JSON.stringify([view?.name, operationId, coding, revisions, besides ?? null, ...values]);
  return { besides, keyOf };
}
