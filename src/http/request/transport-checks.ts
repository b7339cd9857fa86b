import type { IncomingMessage } from "node:http";
import { HttpError, quoted } from "../response/http-error.ts";
import { hasBody } from "../exchange.ts";
import type { RequestTarget } from "./request-target.ts";
import { isIP } from "node:net";

/**
 * Rejects requests that Node's parser accepts but a proxy could read differently (request smuggling),
 * and unexpected bodies. Throws `malformed-request`, `unexpected-body`.
 */
export function checkTransport(request: IncomingMessage): void {
  const encoding = headerValues(request, "transfer-encoding").join(",");
  if (encoding !== "" && encoding.toLowerCase() !== "chunked") {
    throw new HttpError(
      "malformed-request",
      `cannot read the body: expected Transfer-Encoding chunked, got ${quoted(encoding)}`,
    );
  }
  const isBodyless = request.method === "GET" || request.method === "HEAD";
  if (isBodyless && hasBody(request)) {
    throw new HttpError("unexpected-body", `${request.method} must not have a body`);
  }
}

/** The body's length by its headers; `undefined` for a chunked body. */
export function announcedBytes({ headers }: IncomingMessage): number | undefined {
  if (headers["transfer-encoding"] !== undefined) return undefined;
  return Number(headers["content-length"] ?? "0");
}

/**
 * Rejects requests for other hosts than `given` by their headers; `createHostCheck` makes the check. Throws `malformed-request`,
 * `foreign-host`.
 */
export function checkHost(
  given: readonly string[],
  target: Pick<RequestTarget, "authority">,
  isAllowed: (host: string) => boolean,
): void {
  if (given.length !== 1) {
    throw new HttpError("malformed-request", `expected one Host header, got ${given.length}`);
  }
  for (const authority of [given, target.authority ?? []].flat()) {
    const host = hostOf(authority);
    if (host === undefined) {
      throw new HttpError("malformed-request", `not a host name: ${quoted(authority)}`);
    }
    if (!isAllowed(host)) {
      throw new HttpError(
        "foreign-host",
        `this server does not serve the host ${quoted(host)}; add it to the setting allowedHosts`,
      );
    }
  }
}

/** All values of a header (lower-case name), in order; Node itself joins them or drops all but one. */
export function headerValues(
  { rawHeaders }: Pick<IncomingMessage, "rawHeaders">,
  name: string,
): readonly string[] {
  return rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name);
}

/** Host name or address, then an optional port. */
const AUTHORITY = /^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._~-]+)(?::(\d{0,5}))?$/;

const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];
const WILDCARDS = ["0.0.0.0", "::", ""];

/** The host of a `Host` header in lower case, without port; `undefined` if it is not one. */
export function hostOf(authority: string): string | undefined {
  return AUTHORITY.exec(authority)?.[1]?.toLowerCase();
}

/**
 * Returns a check of host names against DNS rebinding. A server that listens on all addresses accepts
 * any IP address, since an address cannot be rebound.
 */
export function createHostCheck(
  boundHost: string,
  allowedHosts: readonly string[],
): (host: string) => boolean {
  const bound = isIP(boundHost) === 6 ? `[${boundHost}]` : boundHost;
  const names = [...LOOPBACK, ...allowedHosts, bound];
  const allowed = new Set(names.map((name) => name.toLowerCase()));
  const anyAddress = WILDCARDS.includes(boundHost);
  const any = allowed.has("*");
  return (host) => any || allowed.has(host) || (anyAddress && isAddress(host));
}

function isAddress(host: string): boolean {
  return isIP(host.replace(/^\[(.*)\]$/, "$1")) !== 0;
}
