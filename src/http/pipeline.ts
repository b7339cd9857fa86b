import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { logExchange, loggedTarget, type HttpLog } from "./access-log.ts";
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
import { type Coding, chooseCoding, isAcceptable } from "./negotiation.ts";
import { openBody } from "./request/open-body.ts";
import { readParameters } from "./request/parameters.ts";
import type { ResponsesInFlight } from "./request/parser-errors.ts";
import { parseQuery } from "./request/request-target.ts";
import { headerValues } from "./request/transport-checks.ts";
import { setCommonHeaders, setCorsHeaders } from "./response/common-headers.ts";
import { type CheckedRequest, type ResponseDependencies, handleRequest } from "./handle-request.ts";
import { HttpError } from "./response/http-error.ts";
import { sendProblem } from "./response/send-problem.ts";
import type { Route } from "./route.ts";

export interface PipelineDependencies extends ResponseDependencies {
  readonly log: HttpLog;
  readonly createRequestId: () => string;
  readonly monitoring: Monitoring;
  readonly underWay: ResponsesInFlight;
  readonly connections: Connections;
  readonly isTrustedProxy: AddressCheck;
  /** Whether browsers reach the server by TLS only, wherever that ends. */
  readonly isAlwaysTls: boolean;
  readonly keyCheck: KeyCheck;
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
      logExchange(exchange, dependencies);
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
    const sentKey = readKey(request, found, pipeline.keyCheck);
    limitRequests(exchange, route, pipeline);
    const key = await checkKey(exchange, route, sentKey, pipeline.keyCheck);
    const { values, coding } = readHead(exchange, found);
    const body = await openBody(exchange, route.body, settings.bodyStallMs);
    const header = (name: string): readonly string[] => headerValues(request, name);
    const isSecure = pipeline.isAlwaysTls || speaksTls(request, pipeline.isTrustedProxy);
    const query = queryOf(request);
    const isForHead = request.method === "HEAD";
    const call = { ...body, query, address, key, sentKey, isSecure, isForHead, header };
    const seen = seenBy(key, route, pipeline.viewOf);
    await handleRequest(exchange, { ...seen, values, coding, call }, pipeline);
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
): Pick<CheckedRequest, "values" | "coding"> {
  const { request } = exchange;
  const query = parseQuery(target.query);
  exchange.loggedTarget = loggedTarget(target.path, query);
  const header = (name: string): readonly string[] => headerValues(request, name);
  const read = readParameters({ query, path: pathParameters, header }, route.parameters ?? []);
  const { values } = read;
  const complaints = [...read.complaints, ...(route.check?.(values) ?? [])];
  if (complaints.length > 0) {
    const details = complaints.map(({ detail }) => detail);
    throw new HttpError("bad-parameter", details.join("; "), { complaints });
  }
  return { values, coding: negotiate(request, route) };
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
