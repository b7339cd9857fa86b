import type { IncomingMessage, ServerResponse } from "node:http";
import type { HttpLog } from "../access-log.ts";
import { type Exchange, hasBody } from "../exchange.ts";
import type { HttpSettings } from "../settings.ts";
import { HttpError } from "./http-error.ts";
import { type Problem, isServerFault, problemOf } from "./problem.ts";

/** Responds with an error. Nothing may have been sent before. */
export function sendProblem(
  exchange: Exchange,
  error: unknown,
  { log, settings }: { readonly log: HttpLog; readonly settings: Pick<HttpSettings, "lingerMs"> },
): void {
  const { request, response, requestId } = exchange;
  const problem = problemOf(error, requestId, exchange.route?.errorForm);
  if (isServerFault(error)) log.error({ requestId, err: error }, "server_fault");
  // Further input could be garbage or the rest of a body.
  const isMalformed = error instanceof HttpError && error.code === "malformed-request";
  const isBroken = exchange.brokenBy !== undefined || isMalformed;
  const isBodyLeft = hasBody(request) && !exchange.isBodyRead;
  if (isBroken || isBodyLeft) response.shouldKeepAlive = false;
  if (isBodyLeft && !isBroken) {
    void respondEarly(request, response, { problem, lingerMs: settings.lingerMs });
    return;
  }
  const length = String(Buffer.byteLength(problem.body));
  const headers = { ...problem.headers, "Content-Length": length };
  response.writeHead(problem.status, headers).end(problem.body);
}

/**
 * Responds to a request without reading its body, then closes the connection. The response is sent at
 * once; the rest of the body is discarded for at most `lingerMs`, because closing the connection while
 * the client is sending would make many clients lose the response.
 */
export async function respondEarly(
  request: IncomingMessage,
  response: ServerResponse,
  { problem, lingerMs }: { readonly problem: Problem; readonly lingerMs: number },
): Promise<void> {
  const { status, headers, body } = problem;
  const length = String(Buffer.byteLength(body));
  response.writeHead(status, { ...headers, "Content-Length": length, Connection: "close" });
  if (request.method !== "HEAD") response.write(body);
  await discarded(request, response, lingerMs);
  response.end();
}

function discarded(
  request: IncomingMessage,
  response: ServerResponse,
  lingerMs: number,
): Promise<void> {
  // Remove listeners left by a partial read.
  request.removeAllListeners("readable");
  request.on("error", () => undefined);
  request.resume();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, lingerMs);
    const end = (): void => {
      clearTimeout(timer);
      resolve();
    };
    if (request.readableEnded || response.closed) end();
    request.once("end", end);
    response.once("close", end);
  });
}

const EXPOSED = "ETag, X-Request-Id, Retry-After, Location";

const REQUEST_ID = "X-Request-Id";

/** Headers of every response, errors included. */
export function setCommonHeaders(response: ServerResponse, requestId: string): void {
  for (const [name, value] of Object.entries(commonHeaders(requestId))) {
    response.setHeader(name, value);
  }
}

export function commonHeaders(requestId: string): Record<string, string> {
  return {
    [REQUEST_ID]: requestId,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
  };
}

function varyOf({ keyHeaders }: HttpSettings): string {
  return ["Accept", "Accept-Encoding", "Origin", "X-Service-Auth", ...keyHeaders].join(", ");
}

/** Lets pages of the configured origins read the response; never `*`. */
export function setCorsHeaders(
  request: IncomingMessage,
  response: ServerResponse,
  settings: HttpSettings,
): void {
  const { origin } = request.headers;
  response.setHeader("Vary", varyOf(settings));
  if (origin === undefined || !settings.corsOrigins.includes(origin)) return;
  response.setHeader("Access-Control-Allow-Origin", origin);
  response.setHeader("Access-Control-Expose-Headers", EXPOSED);
  if (request.method !== "OPTIONS") return;
  const headers = ["X-Service-Auth", ...settings.keyHeaders, "If-None-Match", "Content-Type"];
  response.setHeader("Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, PATCH, DELETE");
  response.setHeader("Access-Control-Allow-Headers", headers.join(", "));
  response.setHeader("Access-Control-Max-Age", "600");
}
