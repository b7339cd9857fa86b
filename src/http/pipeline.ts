import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import {
  createReport,
  logExchange,
  loggedTarget,
  type RequestLog,
  type TraceRequest,
} from "./access-log.ts";
import { checkKey, type KeyCheck } from "./check-key.ts";
import { type AddressCheck, clientAddress } from "./client-address.ts";
import type { Connections } from "./connections.ts";
import type { Exchange } from "./exchange.ts";
import {
  type EmptyResponse,
  type RouteTable,
  type RoutedRequest,
  createRouteTable,
  findRoute,
} from "./route-table.ts";
import { seenBy, type ViewOf } from "./key-view.ts";
import type { Monitoring } from "./monitoring.ts";
import { type Coding, chooseCoding, isAcceptable } from "./request/negotiation.ts";
import { openBody } from "./request/open-body.ts";
import { readParameters } from "./request/parameters.ts";
import type { ResponsesInFlight } from "./request/parser-errors.ts";
import type { ReadHead, RequestHeadCache } from "./request/request-head-cache.ts";
import { parseQuery } from "./request/request-target.ts";
import { headerValues } from "./request/transport-checks.ts";
import { atTurnEnd } from "./response/at-turn-end.ts";
import { setCommonHeaders, setCorsHeaders } from "./response/common-headers.ts";
import { type ResponseDependencies, handleRequest } from "./response/handle-request.ts";
import { HttpError } from "./response/http-error.ts";
import { sendProblem } from "./response/send-problem.ts";
import { cacheResponse, serveCached } from "./response/serve-cached.ts";
import type { Route } from "./route.ts";

export interface PipelineDependencies extends ResponseDependencies {
  readonly log: RequestLog;
  readonly createRequestId: () => string;
  readonly monitoring: Monitoring;
  readonly underWay: ResponsesInFlight;
  readonly connections: Connections;
  readonly isTrustedProxy: AddressCheck;
  readonly trace?: TraceRequest | undefined;
  readonly keyCheck: KeyCheck;
  readonly viewOf: ViewOf;
  readonly isAllowedHost: (host: string) => boolean;
  readonly isClosing: () => boolean;
  readonly requestHeads: RequestHeadCache;
  readonly storeVersion: () => unknown;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

interface Pipeline extends PipelineDependencies {
  readonly routeTable: RouteTable;
}

/**
 * Everything between a request and its response. A request passes through `respond` from top to bottom,
 * unless its head repeats an earlier one byte for byte and nothing has changed: then the cached response is sent.
 */
export function createPipeline(
  routes: readonly Route[],
  dependencies: PipelineDependencies,
): RequestListener {
  const routeTable = createRouteTable(routes, dependencies.settings.basePath);
  const pipeline = { ...dependencies, routeTable };
  const withStoreVersion = atTurnEnd(dependencies.storeVersion);
  return (request, response) => {
    const exchange = openExchange(request, response, dependencies);
    const isWelcome = occupyConnection(exchange, dependencies);
    response.on("close", () => {
      leaveConnection(exchange, dependencies);
      logExchange(exchange, dependencies);
    });
    const cached = isWelcome ? dependencies.requestHeads.find(request) : undefined;
    if (cached?.lastResponse === undefined) {
      void respond(exchange, { isWelcome, cached }, pipeline);
      return;
    }
    withStoreVersion((version) => {
      if (serveCached(exchange, cached, version, dependencies)) return;
      void respond(exchange, { isWelcome, cached }, pipeline);
    });
  };
}

interface Arrival {
  readonly isWelcome: boolean;
  /** The parsed head, if the same one came before. */
  readonly cached: ReadHead | undefined;
}

/** Never rejects. Reveals nothing about load tests before the key is accepted. */
async function respond(
  exchange: Exchange,
  { isWelcome, cached }: Arrival,
  pipeline: Pipeline,
): Promise<void> {
  const { request, response, requestId, address } = exchange;
  const { settings } = pipeline;
  setCommonHeaders(response, requestId);
  setCorsHeaders(request, response, settings);
  try {
    if (!isWelcome) throw new HttpError("malformed-request", "the connection is being closed");
    const found = cached ?? findRoute(exchange, pipeline);
    if ("status" in found) {
      sendEmpty(exchange, found);
      return;
    }
    const { route } = found;
    exchange.route = route;
    if (cached !== undefined) exchange.loggedTarget = cached.loggedTarget;
    const sentKey = "key" in found ? found.key : readKey(request, found, pipeline.keyCheck);
    limitRequests(exchange, route, pipeline);
    // Read before the data, so that a change in between makes the cached response stale.
    const storeVersion = cached?.key === undefined ? undefined : pipeline.storeVersion();
    const { key, untilMs } = await checkKey(exchange, route, sentKey, pipeline.keyCheck);
    const head = "key" in found ? found : readHead(exchange, found, sentKey, pipeline);
    const body = await openBody(exchange, route.body, settings.bodyStallMs);
    const { values, coding } = head;
    const header = (name: string): readonly string[] => headerValues(request, name);
    const isSecure = speaksTls(request, pipeline.isTrustedProxy);
    const call = { ...body, query: queryOf(request), address, key, sentKey, isSecure, header };
    const seen = seenBy(key, route, pipeline.viewOf);
    const cacheKey = await handleRequest(exchange, { ...seen, values, coding, call }, pipeline);
    if (cacheKey !== undefined && storeVersion !== undefined) {
      const report = createReport(exchange, pipeline);
      cacheResponse(exchange, head, { storeVersion, untilMs, report }, cacheKey);
    }
  } catch (error) {
    sendProblem(exchange, error, pipeline);
  }
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
  return {
    request,
    response,
    requestId: createRequestId(),
    address: clientAddress(request.socket.remoteAddress ?? "", forwardedFor, isTrustedProxy),
    startedAtMs: performance.now(),
    brokenBy: undefined,
    onBroken: undefined,
    isBodyRead: false,
    route: undefined,
    loggedTarget: NO_TARGET,
    keyName: undefined,
    report: undefined,
  };
}

const NO_TARGET = loggedTarget("", []);

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

/** The key as sent; `undefined` where the route needs none. Throws `duplicate-header`. */
function readKey(
  request: IncomingMessage,
  { route: { scope, keyReader: ownReader }, target }: RoutedRequest,
  { keyReader: commonReader }: KeyCheck,
): string | undefined {
  if (scope === undefined) return undefined;
  return (ownReader ?? commonReader).read({
    header: (name) => headerValues(request, name),
    query: () => parseQuery(target.query),
  });
}

/** Throws `busy` if the client has too many requests in flight through a trusted proxy. */
function limitRequests(
  { request, address }: Exchange,
  { scope }: Route,
  { connections, settings }: PipelineDependencies,
): void {
  const isOneTooMany = connections.begin(request.socket, address);
  if (scope === undefined || !isOneTooMany) return;
  throw new HttpError(
    "busy",
    `${settings.connectionsPerAddressMax} requests of this address are in progress, the limit ` +
      "that connectionsPerAddressMax allows: ask again in a few seconds",
  );
}

function speaksTls({ socket, headers }: IncomingMessage, isTrustedProxy: AddressCheck): boolean {
  if ("encrypted" in socket) return true;
  return isTrustedProxy(socket.remoteAddress ?? "") && headers["x-forwarded-proto"] === "https";
}

/** Parses the rest of the head. Throws `bad-encoding`, `bad-parameter`, `not-acceptable`. */
function readHead(
  exchange: Exchange,
  { route, target, pathParameters }: RoutedRequest,
  key: string | undefined,
  { requestHeads }: PipelineDependencies,
): ReadHead {
  const { request } = exchange;
  const query = parseQuery(target.query);
  const logged = loggedTarget(target.path, query);
  exchange.loggedTarget = logged;
  const header = (name: string): readonly string[] => headerValues(request, name);
  const read = readParameters({ query, path: pathParameters, header }, route.parameters ?? []);
  const { values } = read;
  const complaints = [...read.complaints, ...(route.check?.(values) ?? [])];
  if (complaints.length > 0) {
    const details = complaints.map(({ detail }) => detail);
    throw new HttpError("bad-parameter", details.join("; "), { complaints });
  }
  const coding = negotiate(request, route);
  const head = { route, key, loggedTarget: logged, values, coding, lastResponse: undefined };
  if (route.method === "GET") requestHeads.keep(request, head);
  return head;
}

/** Throws `not-acceptable`. */
function negotiate(
  { headers }: IncomingMessage,
  { mediaType = "application/json" }: Route,
): Coding {
  if (!isAcceptable(headers.accept, mediaType)) {
    throw new HttpError(
      "not-acceptable",
      `Accept rejects ${mediaType}, the only media type available here`,
    );
  }
  const coding = chooseCoding(headers["accept-encoding"]);
  if (coding === undefined) {
    throw new HttpError("not-acceptable", "Accept-Encoding rejects every supported coding");
  }
  return coding;
}
