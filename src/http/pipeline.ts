import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { type HttpLog, logOutcome } from "./access-log.ts";
import { admit, type AdmissionRules } from "./admit.ts";
import { type AddressCheck, clientAddress } from "./client-address.ts";
import { arrive, type Exchange } from "./exchange.ts";
import { type EmptyResponse, type RouteTable, createRouteTable, findRoute } from "./route-table.ts";
import { seenBy, type ViewOf } from "./key-view.ts";
import type { Monitoring } from "./monitoring.ts";
import { asksForCsv, chooseCoding, isAcceptable } from "./negotiation.ts";
import { openBody } from "./request/open-body.ts";
import type { ResponsesInFlight } from "./request/parser-errors.ts";
import { headerValues } from "./request/transport-checks.ts";
import { setCommonHeaders, setCorsHeaders } from "./response/common-headers.ts";
import { type CheckedRequest, type ResponseDependencies, handleRequest } from "./handle-request.ts";
import { HttpError } from "./response/http-error.ts";
import { sendProblem } from "./response/send-problem.ts";
import type { Route } from "./route.ts";

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
  const isCsv = csv !== undefined && asksForCsv(headers.accept);
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
