import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { AccessKey } from "../model/access-key.ts";
import { type RequestNotes, followRequest, noteTarget } from "./access-log.ts";
import { type Validity, answerAgain } from "./answer-again.ts";
import { atTurnEnd } from "./at-turn-end.ts";
import { answerEarly } from "./answer-early.ts";
import { type AnswerSurroundings, answerRoute } from "./answer-route.ts";
import { checkKey, type KeyCheck } from "./check-key.ts";
import { setCommonHeaders, setCorsHeaders } from "./common-headers.ts";
import { HttpError, quoted } from "./http-error.ts";
import type { ReadHead } from "./known-heads.ts";
import type { Monitoring } from "./monitoring.ts";
import { nodeHttp } from "./node-http.ts";
import type { AnswersUnderWay } from "./parser-errors.ts";
import { PathTable } from "./path-table.ts";
import { isServerFault, problemOf } from "./problem.ts";
import { parseQuery } from "./query-string.ts";
import { type RequestTarget, parseTarget } from "./request-target.ts";
import type { Route } from "./route.ts";
import { checkHost, checkTransport, hasBody, headerValues } from "./transport-checks.ts";

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
export interface RouteSurroundings extends AnswerSurroundings {
  readonly monitoring: Monitoring;
  readonly underWay: AnswersUnderWay;
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
  surroundings: RouteSurroundings,
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
  const places = placesOf(routes, surroundings.settings.basePath);
  const { settings, knownHeads } = surroundings;
  const withStoreVersion = atTurnEnd(surroundings.keyCheck.storeVersion);
  app.addHook("onRequest", (request, reply, done) => {
    const isWelcome = begin(request, reply, surroundings);
    const goOn = (): void => {
      setCommonHeaders(reply.raw, request.id);
      setCorsHeaders(request.raw, reply.raw, settings);
      if (isWelcome) done();
      else done(new HttpError("malformed-request", "the connection is being closed"));
    };
    request.knownHead = knownHeads.find(request);
    if (!isWelcome || request.knownHead?.lastAnswer === undefined) return goOn();
    withStoreVersion((version) => {
      if (!answerAgain(request, reply, surroundings, version)) goOn();
    });
  });
  const checks = { ...surroundings, places };
  app.addHook("onRequest", (request, reply) => checkBeforeRoute(request, reply, checks));
  app.setErrorHandler((error, request, reply) => sendProblem(error, request, reply, surroundings));
  app.setNotFoundHandler(async () => {
    throw new Error("BUG: a request without a route was not refused");
  });
  const handler = (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    if (request.operation === undefined) throw new Error("BUG: no operation, and no refusal");
    return answerRoute(request, reply, request.operation, surroundings);
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
  { underWay, log, monitoring, isClosing }: RouteSurroundings,
): boolean {
  const { raw: response } = reply;
  const { socket } = request.raw;
  request.notes = {
    requestId: request.id,
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
    if (underWay.get(socket)?.response === response) underWay.delete(socket);
  });
  if (isClosing()) response.shouldKeepAlive = false;
  return true;
}

async function checkBeforeRoute(
  request: FastifyRequest,
  reply: FastifyReply,
  surroundings: RouteSurroundings & { readonly places: PathTable<Operations> },
): Promise<FastifyReply | undefined> {
  const { settings, places } = surroundings;
  const { raw, knownHead: known } = request;
  if (known !== undefined) {
    request.target = known.target;
    request.notes.target = known.noted;
    beginOperation(request, known.route);
    request.sentKey = known.key;
    await checkKey(request, known.route, surroundings.keyCheck);
    return undefined;
  }
  request.target = parseTarget(request.originalUrl, settings.targetBytesMax);
  request.notes.target = noteTarget(request.target.path, []);
  checkTransport(raw);
  checkHost(raw, request.target, surroundings.isAllowedHost);
  const place = places.find(request.target.path);
  if (place === undefined) {
    throw new HttpError("unknown-route", `nothing is at ${quoted(request.target.path)}`);
  }
  const { byMethod, hasExtraSlash } = place.entry;
  if (hasExtraSlash) return redirectWithoutSlash(request.target, reply);
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
  request.sentKey = readKey(request, route, surroundings);
  await checkKey(request, route, surroundings.keyCheck);
  return undefined;
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

function redirectWithoutSlash({ path, query }: RequestTarget, reply: FastifyReply): FastifyReply {
  const location = `${path.slice(0, -1)}${query === "" ? "" : `?${query}`}`;
  return reply.code(308).headers({ Location: location, "Cache-Control": "no-store" }).send();
}

/** The key as it was sent, where one is wanted. Throws `duplicate-header`. */
function readKey(
  request: FastifyRequest,
  { scope, keyReader: ownReader }: Route,
  { keyCheck: { keyReader: commonReader } }: RouteSurroundings,
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
  { log, settings }: RouteSurroundings,
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
    void answerEarly(request.raw, reply.raw, { problem, lingerMs: settings.lingerMs });
    return reply;
  }
  return reply.code(problem.status).headers(problem.headers).send(Buffer.from(problem.body));
}

function codeOf(error: unknown): string | undefined {
  return error instanceof HttpError ? error.code : undefined;
}
