import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { SecondRange } from "../model/columns.ts";
import { type CsvTable, csvTable } from "../render/csv-table.ts";
import { type HttpLog, logOutcome } from "./access-log.ts";
import { type AdmissionRules, admit, type UnderWay, watchKey } from "./admit.ts";
import { type AddressCheck, clientAddress } from "./client-address.ts";
import { type Exchange, arrive, breakBody, hasBody, readerOf } from "./exchange.ts";
import { type KeyView, type ViewOf, seenBy } from "./key-view.ts";
import type { Monitoring } from "./monitoring.ts";
import { type Coding, asksFor, chooseCoding, isAcceptable } from "./negotiation.ts";
import type { Handle } from "./record-changes.ts";
import { openBody } from "./request/open-body.ts";
import type { ParameterValues } from "./request/parameters.ts";
import { rangeOf } from "./request/selection.ts";
import type { ResponsesInFlight } from "./request/parser-errors.ts";
import { headerValues } from "./request/transport-checks.ts";
import { sendProblem, setCommonHeaders, setCorsHeaders } from "./response/send-problem.ts";
import { followSending } from "./response/guarded-writes.ts";
import { HttpError } from "./response/http-error.ts";
import type { LongAnswers } from "./response/long-answers.ts";
import type { LargeResponses } from "./response/large-responses.ts";
import type { ResponseCache } from "./response/response-cache.ts";
import { sendCachedResponse } from "./response/send-cached.ts";
import { type Compressions, type Sending, sendResponse } from "./response/send-response.ts";
import { type EmptyResponse, type RouteTable, createRouteTable, findRoute } from "./route-table.ts";
import type { CacheInputs, Call, Route, RouteResponse } from "./route.ts";
import type { HttpSettings } from "./settings.ts";

export interface PipelineDependencies extends ResponseDependencies, AdmissionRules {
  readonly log: HttpLog;
  readonly createRequestId: () => string;
  readonly monitoring: Monitoring;
  readonly underWay: ResponsesInFlight;
  readonly isTrustedProxy: AddressCheck;
  /** Whether browsers reach the server by TLS only, wherever that ends. */
  readonly isAlwaysTls: boolean;
  readonly viewOf: ViewOf;
  readonly isAllowedHost: (host: string) => boolean;
  readonly isClosing: () => boolean;
}

interface Pipeline extends PipelineDependencies {
  readonly routeTable: RouteTable;
}

/** Everything between a request and its response: a request passes through `respond` from top to bottom. */
export function createPipeline(
  routes: readonly Route[],
  dependencies: PipelineDependencies,
): RequestListener {
  const routeTable = createRouteTable(routes, dependencies.settings.basePath);
  const pipeline = { ...dependencies, routeTable };
  return (request, response) => {
    const exchange = openExchange(request, response, dependencies);
    const isWelcome = occupyConnection(exchange, dependencies);
    response.on("close", () => {
      leaveConnection(exchange, dependencies);
      const { method = "" } = request;
      const { statusCode: status, writableFinished: isComplete } = response;
      logOutcome(exchange, { method, status, isComplete }, dependencies);
    });
    void respond(exchange, isWelcome, pipeline);
  };
}

/** Never rejects. Reveals nothing about load tests before the key is accepted. */
async function respond(exchange: Exchange, isWelcome: boolean, pipeline: Pipeline): Promise<void> {
  const { request, response, requestId, address } = exchange;
  const { settings } = pipeline;
  setCommonHeaders(response, requestId);
  setCorsHeaders(request, response, settings);
  try {
    if (!isWelcome) throw new HttpError("malformed-request", "the connection is being closed");
    const found = findRoute(exchange, pipeline);
    if ("status" in found) {
      sendEmpty(exchange, found);
      return;
    }
    const { route } = found;
    exchange.route = route;
    const header = (name: string): readonly string[] => headerValues(request, name);
    const head = { ...found, ...found.target, header, socket: request.socket };
    const { key, sentKey, values } = await admit(exchange, head, pipeline);
    if (key !== undefined) endWithKey(exchange, { route, sentKey }, pipeline);
    const asked = negotiate(request, route);
    const body = await openBody(exchange, route.body, settings.bodyStallMs);
    const isSecure = pipeline.isAlwaysTls || speaksTls(request, pipeline.isTrustedProxy);
    const query = queryOf(request);
    const isForHead = request.method === "HEAD";
    const call = { ...body, query, address, key, sentKey, isSecure, isForHead, header };
    const seen = seenBy(key, route, pipeline.viewOf);
    await handleRequest(exchange, { ...seen, ...asked, values, call }, pipeline);
  } catch (error) {
    sendProblem(exchange, error, pipeline);
  }
}

/** Ends a request soon after its key does: no more is read, and no more is sent. */
function endWithKey(
  exchange: Exchange,
  sent: Pick<UnderWay, "route" | "sentKey">,
  { keyCheck }: AdmissionRules,
): void {
  const { response: answer } = exchange;
  watchKey({ ...sent, answer }, keyCheck, (reason) => {
    breakBody(exchange, reason);
    if (answer.headersSent) answer.destroy();
  });
}

/** As sent. */
function queryOf({ url = "" }: IncomingMessage): string {
  return url.includes("?") ? url.slice(url.indexOf("?") + 1) : "";
}

function sendEmpty({ request, response }: Exchange, { status, headers }: EmptyResponse): void {
  const hasLength = status !== 204 && request.method !== "HEAD";
  const length = hasLength ? { "Content-Length": "0" } : {};
  response.writeHead(status, { ...headers, ...length }).end();
}

function openExchange(
  request: IncomingMessage,
  response: ServerResponse,
  { createRequestId, isTrustedProxy }: PipelineDependencies,
): Exchange {
  const forwardedFor = request.headers["x-forwarded-for"]?.toString();
  const { remoteAddress = "" } = request.socket;
  const address = clientAddress(remoteAddress, forwardedFor, isTrustedProxy);
  return { ...arrive(createRequestId(), address), request, response, isBodyRead: false };
}

/** Registers a response in flight. Returns whether the request should be handled at all. */
function occupyConnection(
  exchange: Exchange,
  { underWay, isClosing }: PipelineDependencies,
): boolean {
  const { response, request } = exchange;
  const { socket } = request;
  // Requests behind a response that closes the connection are ignored.
  const earlier = underWay.get(socket);
  if (earlier !== undefined) closeWith(earlier.response, response);
  if (earlier !== undefined && !earlier.response.shouldKeepAlive) return false;
  underWay.set(socket, exchange);
  if (isClosing()) {
    response.shouldKeepAlive = false;
    response.setHeader("Connection", "close");
  }
  return true;
}

/** Closes a response that waits behind another one when the connection is lost: Node 22 leaves it waiting. */
function closeWith(earlier: ServerResponse, response: ServerResponse): void {
  earlier.once("close", () => {
    if (!response.req.socket.destroyed) return;
    setImmediate(() => {
      if (response.closed) return;
      response.destroy();
      response.emit("close");
    });
  });
}

function leaveConnection(
  exchange: Exchange,
  { underWay, connections }: PipelineDependencies,
): void {
  const { socket } = exchange.request;
  if (underWay.get(socket) !== exchange) return;
  underWay.delete(socket);
  connections.rest(socket);
}

export function speaksTls(
  { socket, headers }: Pick<IncomingMessage, "socket" | "headers">,
  isTrustedProxy: AddressCheck,
): boolean {
  if ("encrypted" in socket) return true;
  return isTrustedProxy(socket.remoteAddress ?? "") && headers["x-forwarded-proto"] === "https";
}

/** Throws `not-acceptable`. */
function negotiate(
  { headers }: IncomingMessage,
  { mediaType = "application/json", csv }: Route,
): Pick<CheckedRequest, "coding" | "csv"> {
  const isCsv = csv !== undefined && asksFor("text/csv", headers.accept);
  if (!isCsv && !isAcceptable(headers.accept, mediaType)) {
    throw new HttpError(
      "not-acceptable",
      `Accept rejects ${mediaType}, the media type of this response`,
    );
  }
  const coding = chooseCoding(headers["accept-encoding"]);
  if (coding === undefined) {
    throw new HttpError("not-acceptable", "Accept-Encoding rejects every supported coding");
  }
  return isCsv ? { coding, csv } : { coding };
}

interface ResponseDependencies {
  readonly settings: HttpSettings;
  readonly log: HttpLog;
  readonly compressions: Compressions;
  readonly largeResponses: LargeResponses;
  /** Counted apart, so that clients without a key cannot crowd out those with one. */
  readonly largePublicResponses: LargeResponses;
  readonly longAnswers: LongAnswers;
  readonly responseCache: ResponseCache;
  readonly handle: Handle;
  /** Changes with the data of a load test; `undefined` if it does not exist. */
  readonly revisionOf: (loadTestId: string) => Promise<string | undefined>;
  readonly endpointSecondsOf: (loadTestId: string, range?: SecondRange) => Promise<number>;
}

interface CheckedRequest {
  readonly route: Route;
  /** What the key can see; `undefined` for everything outside projects. */
  readonly view: KeyView | undefined;
  readonly values: ParameterValues;
  readonly coding: Coding;
  /** The response is CSV. */
  readonly csv?: CsvTable | undefined;
  readonly call: Call;
}

/** Sends the cached response, or the response of the route's handler. Throws errors from before the first byte. */
async function handleRequest(
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
  const answer = await answerOf(exchange, { route, view, values, csv, call }, dependencies);
  const isPrivate = route.scope !== undefined;
  // A change since the cache key was made must not be cached under the old key.
  const cacheWriter =
    entry === undefined || entry.besides !== answer.besides
      ? undefined
      : (sent: Coding) => responseCache.writer(entry.keyOf(sent));
  const sent = answer.isPlain ? "identity" : coding;
  await sendNew(exchange, answer, { coding: sent, isPrivate, cacheWriter }, dependencies);
}

/**
 * Computes the response; a long one waits for its turn first. Throws what `handle` throws; after waiting, as do its chunks until the
 * first is sent, `busy` if the client has left, and 401 if its key has ended.
 */
async function answerOf(
  exchange: Exchange,
  { route, view, values, csv, call }: Omit<CheckedRequest, "coding">,
  dependencies: ResponseDependencies,
): Promise<RouteResponse> {
  const compute = async (): Promise<RouteResponse> => {
    const given = await dependencies.handle(route, values, call);
    return csv === undefined ? given : csvResponse(given, csv);
  };
  const { longAnswers } = dependencies;
  const seconds = await secondsRead(route, values, view ?? dependencies);
  if (!longAnswers.isLong(seconds)) return compute();
  const requireWanted = (): void => {
    const { response, brokenBy } = exchange;
    if (response.headersSent) return;
    if (response.destroyed) throw new HttpError("busy", "the client has left");
    if (brokenBy !== undefined) throw brokenBy;
  };
  const turn = longAnswers.turnOf(route.operationId, readerOf(exchange));
  await turn.begin();
  try {
    requireWanted();
    const answer = await compute();
    const release = (): void => {
      turn.end();
      answer.release();
    };
    return { ...answer, chunks: () => turn.chunks(answer.chunks(), requireWanted), release };
  } catch (error) {
    turn.end();
    throw error;
  }
}

/** Of all endpoints in the range; 0 for what reads none, or those of one. */
async function secondsRead(
  { readsSeconds = false }: Route,
  values: ParameterValues,
  { endpointSecondsOf }: Pick<ResponseDependencies, "endpointSecondsOf">,
): Promise<number> {
  if (!readsSeconds || values.has("hash")) return 0;
  return await endpointSecondsOf(
    values.get("id") ?? values.get("loadTestId") ?? "",
    rangeOf(values),
  );
}

/** Not cached: it may span more pages than the response it begins with. */
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
  // The unread rest of a body would be parsed as the next request.
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
