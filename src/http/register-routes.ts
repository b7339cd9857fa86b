import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { AccessKey } from "../model/access-key.ts";
import { type RequestNotes, followRequest, noteTarget } from "./access-log.ts";
import { type Validity, serveCached } from "./response/serve-cached.ts";
import { atTurnEnd } from "./response/at-turn-end.ts";
import { respondEarly } from "./response/respond-early.ts";
import { type ResponseDependencies, handleRequest } from "./response/handle-request.ts";
import { checkKey, type KeyCheck } from "./check-key.ts";
import { type AddressCheck, clientAddress } from "./client-address.ts";
import { setCommonHeaders, setCorsHeaders } from "./response/common-headers.ts";
import type { Connections } from "./connections.ts";
import { HttpError, quoted } from "./response/http-error.ts";
import type { ReadHead } from "./request/request-head-cache.ts";
import type { Monitoring } from "./monitoring.ts";
import { nodeHttp } from "./node-server.ts";
import type { ResponsesInFlight } from "./request/parser-errors.ts";
import { PathTable } from "./path-table.ts";
import { isServerFault, problemOf } from "./response/problem.ts";
import { type RequestTarget, parseQuery, parseTarget } from "./request/request-target.ts";
import type { Route } from "./route.ts";
import { checkHost, checkTransport, hasBody, headerValues } from "./request/transport-checks.ts";

declare module "fastify" {
  interface FastifyRequest {
    notes: RequestNotes;
    target: RequestTarget;
    /** What the path says. */
    pathParameters: Readonly<Record<string, string>>;
    /** `undefined` while it is not found. */
    operation: Route | undefined;
    /** `undefined` while none was accepted. */
    accessKey: AccessKey | undefined;
    /** The key as it was sent. */
    sentKey: string | undefined;
    /** How long what is answered with this key holds; `undefined` where nobody will ask. */
    validity: Validity | undefined;
    /** Where the same head was read before. */
    knownHead: ReadHead | undefined;
    /** Aborted, with an `HttpError`, where the rest of the body will never be there. */
    broken: AbortController;
  }
}

/** What the checks before a route need. */
export interface RouteDependencies extends ResponseDependencies {
  readonly monitoring: Monitoring;
  readonly underWay: ResponsesInFlight;
  readonly connections: Connections;
  readonly isTrustedProxy: AddressCheck;
  readonly keyCheck: KeyCheck;
  readonly isAllowedHost: (host: string) => boolean;
  readonly isClosing: () => boolean;
}

const NOTHING_NOTED = noteTarget("", []);

/** What stands at a path. */
interface Operations {
  readonly byMethod: ReadonlyMap<string, Route>;
  /** Whether the path is that of an operation with a slash too many at its end. */
  readonly hasExtraSlash: boolean;
}

/** All that fastify routes by: the rest is found in a table of ours, which is there at once. */
export const ROUTED_PATH = "/";

/**
 * Answers by the routes, with every check before them: transport, host, path, method,
 * key and scope, in this order, so that without a key nothing is learned about load tests.
 */
export function registerRoutes(
  app: FastifyInstance,
  routes: readonly Route[],
  dependencies: RouteDependencies,
): void {
  const methods = nodeHttp.METHODS.filter((method) => method !== "CONNECT");
  for (const method of methods) {
    // Bodies are read by the routes that want them, never before the key was looked at.
    app.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  }
  app.decorateRequest("notes");
  app.decorateRequest("broken");
  app.decorateRequest("target");
  app.decorateRequest("pathParameters");
  app.decorateRequest("operation");
  app.decorateRequest("accessKey");
  app.decorateRequest("sentKey");
  app.decorateRequest("validity");
  app.decorateRequest("knownHead");
  const places = placesOf(routes, dependencies.settings.basePath);
  const { settings, knownHeads } = dependencies;
  const withStoreVersion = atTurnEnd(dependencies.keyCheck.storeVersion);
  app.addHook("onRequest", (request, reply, done) => {
    const isWelcome = begin(request, reply, dependencies);
    const goOn = (): void => {
      setCommonHeaders(reply.raw, request.id);
      setCorsHeaders(request.raw, reply.raw, settings);
      if (isWelcome) done();
      else done(new HttpError("malformed-request", "the connection is being closed"));
    };
    request.knownHead = knownHeads.find(request);
    if (!isWelcome || request.knownHead?.lastAnswer === undefined) return goOn();
    withStoreVersion((version) => {
      if (!serveCached(request, reply, dependencies, version)) goOn();
    });
  });
  const checks = { ...dependencies, places };
  app.addHook("onRequest", (request, reply) => checkBeforeRoute(request, reply, checks));
  app.setErrorHandler((error, request, reply) => sendProblem(error, request, reply, dependencies));
  app.setNotFoundHandler(async () => {
    throw new Error("BUG: a request without a route was not refused");
  });
  const handler = (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    if (request.operation === undefined) throw new Error("BUG: no operation, and no refusal");
    return handleRequest(request, reply, request.operation, dependencies);
  };
  app.route({ method: methods, url: ROUTED_PATH, handler });
}

function placesOf(routes: readonly Route[], basePath: string): PathTable<Operations> {
  const places = new PathTable<Operations>();
  for (const [path, byMethod] of operationsByPath(routes)) {
    const place = `${basePath}${path}`;
    places.set(place, { byMethod, hasExtraSlash: false });
    if (!place.endsWith("/")) places.set(`${place}/`, { byMethod, hasExtraSlash: true });
  }
  return places;
}

function operationsByPath(routes: readonly Route[]): Map<string, Map<string, Route>> {
  const byPath = new Map<string, Map<string, Route>>();
  for (const route of routes) {
    const operations = byPath.get(route.path) ?? new Map<string, Route>();
    byPath.set(route.path, operations.set(route.method, route));
  }
  return byPath;
}

/** Notes that a request came. Answers whether it is to be answered at all. */
function begin(
  request: FastifyRequest,
  reply: FastifyReply,
  { underWay, connections, isTrustedProxy, log, monitoring, isClosing }: RouteDependencies,
): boolean {
  const { raw: response } = reply;
  const { socket } = request.raw;
  request.notes = {
    requestId: request.id,
    address: clientAddress(
      socket.remoteAddress ?? "",
      request.raw.headers["x-forwarded-for"]?.toString(),
      isTrustedProxy,
    ),
    route: "none",
    target: NOTHING_NOTED,
    keyName: undefined,
    isBodyRead: false,
  };
  const broken = new AbortController();
  request.broken = broken;
  followRequest(request.raw, response, request.notes, { log, monitoring });
  // An answer that closes the connection is its last: what comes behind it is not looked at.
  const earlier = underWay.get(socket);
  if (earlier !== undefined && !earlier.response.shouldKeepAlive) return false;
  underWay.set(socket, { response, breakBody: (reason) => broken.abort(reason) });
  response.on("close", () => {
    if (underWay.get(socket)?.response !== response) return;
    underWay.delete(socket);
    connections.rest(socket);
  });
  if (isClosing()) response.shouldKeepAlive = false;
  return true;
}

async function checkBeforeRoute(
  request: FastifyRequest,
  reply: FastifyReply,
  dependencies: RouteDependencies & { readonly places: PathTable<Operations> },
): Promise<FastifyReply | undefined> {
  const { settings, places } = dependencies;
  const { raw, knownHead: known } = request;
  if (known !== undefined) {
    request.target = known.target;
    request.notes.target = known.noted;
    beginOperation(request, known.route);
    request.sentKey = known.key;
    await admit(request, known.route, dependencies);
    return undefined;
  }
  request.target = parseTarget(request.originalUrl, settings.targetBytesMax);
  request.notes.target = noteTarget(request.target.path, []);
  checkTransport(raw);
  checkHost(raw, request.target, dependencies.isAllowedHost);
  const place = places.find(request.target.path);
  if (place === undefined) {
    throw new HttpError("unknown-route", `nothing is at ${quoted(request.target.path)}`);
  }
  const { byMethod, hasExtraSlash } = place.entry;
  if (hasExtraSlash) return redirectWithoutSlash(request, reply);
  const allow = [...byMethod.keys()].flatMap((method) =>
    method === "GET" ? ["GET", "HEAD"] : [method],
  );
  const headers = { Allow: [...allow, "OPTIONS"].join(", "), "Cache-Control": "no-store" };
  if (raw.method === "OPTIONS") return reply.code(204).headers(headers).send();
  if (!allow.includes(raw.method ?? "")) {
    throw new HttpError("method-not-allowed", `${raw.method} is not possible here`, { headers });
  }
  const route = operationOf(byMethod, request);
  request.pathParameters = place.parameters;
  beginOperation(request, route);
  request.sentKey = readKey(request, route, dependencies);
  await admit(request, route, dependencies);
  return undefined;
}

/** Throws `busy`, and what `checkKey` throws. */
async function admit(
  request: FastifyRequest,
  route: Route,
  { connections, settings, keyCheck }: RouteDependencies,
): Promise<void> {
  const isOneTooMany = connections.begin(request.raw.socket, request.notes.address);
  if (route.scope !== undefined && isOneTooMany) {
    throw new HttpError(
      "busy",
      `${settings.connectionsPerAddressMax} requests of this address are under way, which is all ` +
        "that connectionsPerAddressMax allows: ask again in a few seconds",
    );
  }
  await checkKey(request, route, keyCheck);
}

function beginOperation(request: FastifyRequest, route: Route): void {
  request.notes.route = route.operationId;
  request.operation = route;
}

function operationOf(operations: ReadonlyMap<string, Route>, request: FastifyRequest): Route {
  const route = operations.get(request.method === "HEAD" ? "GET" : request.method);
  if (route === undefined) throw new Error(`BUG: ${request.method} was not refused`);
  return route;
}

/** Only reads are redirected: a repeated write could change something else. Throws `unknown-route`. */
function redirectWithoutSlash(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { path, query } = request.target;
  if (request.method !== "GET" && request.method !== "HEAD") {
    throw new HttpError(
      "unknown-route",
      `nothing is at ${quoted(path)}; send the request without the slash at the end`,
    );
  }
  const location = `${path.slice(0, -1)}${query === "" ? "" : `?${query}`}`;
  return reply.code(308).headers({ Location: location, "Cache-Control": "no-store" }).send();
}

/** The key as it was sent, where one is wanted. Throws `duplicate-header`. */
function readKey(
  request: FastifyRequest,
  { scope, keyReader: ownReader }: Route,
  { keyCheck: { keyReader: commonReader } }: RouteDependencies,
): string | undefined {
  if (scope === undefined) return undefined;
  return (ownReader ?? commonReader).read({
    header: (name) => headerValues(request.raw, name),
    query: () => parseQuery(request.target.query),
  });
}

function sendProblem(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  { log, settings }: RouteDependencies,
): FastifyReply {
  const form = request.operation?.errorForm;
  const problem = problemOf(error, request.id, form);
  if (isServerFault(error)) log.error({ requestId: request.id, err: error }, "server_fault");
  // What follows on the connection cannot be trusted, or would be the rest of a body.
  const isBroken = request.broken.signal.aborted || codeOf(error) === "malformed-request";
  if (isBroken) reply.raw.shouldKeepAlive = false;
  if (!isBroken && hasBody(request.raw) && !request.notes.isBodyRead) {
    reply.hijack();
    reply.raw.shouldKeepAlive = false;
    void respondEarly(request.raw, reply.raw, { problem, lingerMs: settings.lingerMs });
    return reply;
  }
  return reply.code(problem.status).headers(problem.headers).send(Buffer.from(problem.body));
}

function codeOf(error: unknown): string | undefined {
  return error instanceof HttpError ? error.code : undefined;
}
