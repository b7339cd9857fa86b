import { loggedTarget } from "./access-log.ts";
import type { Exchange } from "./exchange.ts";
import { PathTable } from "./path-table.ts";
import { type RequestTarget, parseTarget } from "./request/request-target.ts";
import { checkHost, checkTransport } from "./request/transport-checks.ts";
import { HttpError, quoted } from "./response/http-error.ts";
import type { Route } from "./route.ts";
import type { HttpSettings } from "./settings.ts";

/** What stands at a path. */
interface Operations {
  readonly byMethod: ReadonlyMap<string, Route>;
  /** Whether the path is that of an operation with a slash too many at its end. */
  readonly hasExtraSlash: boolean;
}

export type RouteTable = PathTable<Operations>;

/** A request that has a route. */
export interface RoutedRequest {
  readonly route: Route;
  readonly target: RequestTarget;
  /** What the path says. */
  readonly pathParameters: Readonly<Record<string, string>>;
}

/** A response without a body. */
export interface EmptyResponse {
  readonly status: 204 | 308;
  readonly headers: Readonly<Record<string, string>>;
}

interface RouteLookup {
  readonly settings: Pick<HttpSettings, "targetBytesMax">;
  readonly routeTable: RouteTable;
  readonly isAllowedHost: (host: string) => boolean;
}

export function createRouteTable(routes: readonly Route[], basePath: string): RouteTable {
  const table: RouteTable = new PathTable();
  for (const [path, byMethod] of Map.groupBy(routes, (route) => `${basePath}${route.path}`)) {
    const operations = new Map(byMethod.map((route) => [route.method as string, route]));
    table.set(path, { byMethod: operations, hasExtraSlash: false });
    if (!path.endsWith("/")) table.set(`${path}/`, { byMethod: operations, hasExtraSlash: true });
  }
  return table;
}

/**
 * The route of a request, or the response where that follows from path and method alone. Throws
 * `malformed-request`, `address-too-long`, `bad-encoding`, `unexpected-body`, `foreign-host`,
 * `unknown-route`, `method-not-allowed`.
 */
export function findRoute(
  exchange: Exchange,
  { settings, routeTable, isAllowedHost }: RouteLookup,
): RoutedRequest | EmptyResponse {
  const { request } = exchange;
  const { url = "", method = "" } = request;
  const target = parseTarget(url, settings.targetBytesMax);
  exchange.loggedTarget = loggedTarget(target.path, []);
  checkTransport(request);
  checkHost(request, target, isAllowedHost);
  const found = routeTable.find(target.path);
  if (found === undefined) {
    throw new HttpError("unknown-route", `nothing is at ${quoted(target.path)}`);
  }
  const { byMethod, hasExtraSlash } = found.entry;
  if (hasExtraSlash) return redirectWithoutSlash(method, target);
  const allowed = [...byMethod.keys()].flatMap((each) => (each === "GET" ? [each, "HEAD"] : each));
  const headers = { Allow: [...allowed, "OPTIONS"].join(", "), "Cache-Control": "no-store" };
  if (method === "OPTIONS") return { status: 204, headers };
  const route = byMethod.get(method === "HEAD" ? "GET" : method);
  if (route === undefined) {
    throw new HttpError("method-not-allowed", `${method} is not possible here`, { headers });
  }
  return { route, target, pathParameters: found.parameters };
}

/** Only reads are redirected: a repeated write could change something else. Throws `unknown-route`. */
function redirectWithoutSlash(method: string, { path, query }: RequestTarget): EmptyResponse {
  if (method !== "GET" && method !== "HEAD") {
    throw new HttpError(
      "unknown-route",
      `nothing is at ${quoted(path)}; send the request without the slash at the end`,
    );
  }
  const location = `${path.slice(0, -1)}${query === "" ? "" : `?${query}`}`;
  return { status: 308, headers: { Location: location, "Cache-Control": "no-store" } };
}
