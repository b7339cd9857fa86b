import type { IncomingMessage, ServerResponse } from "node:http";
import type { HttpSettings } from "../settings.ts";

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
