import { loggedTarget } from "./access-log.ts";
import type { Exchange } from "./exchange.ts";
import { asksFor } from "./negotiation.ts";
import { type RequestTarget, parseTarget } from "./request/request-target.ts";
import { checkHost, checkTransport, headerValues } from "./request/transport-checks.ts";
import { HttpError, quoted } from "./response/http-error.ts";
import type { Route } from "./route.ts";
import type { HttpSettings } from "./settings.ts";

interface Operations {
  readonly byMethod: ReadonlyMap<string, Route>;
  readonly hasExtraSlash: boolean;
}

export type RouteTable = PathTable<Operations>;

export interface RoutedRequest {
  readonly route: Route;
  readonly target: RequestTarget;
  /** Decoded values of the path parameters. */
  readonly pathParameters: Readonly<Record<string, string>>;
}

export interface EmptyResponse {
  readonly status: 204 | 308;
  readonly headers: Readonly<Record<string, string>>;
}

interface RouteLookup {
  readonly settings: Pick<HttpSettings, "targetBytesMax" | "basePath">;
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
 * The route of a request, or the response if path and method alone decide it. Throws
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
  checkHost(headerValues(request, "host"), target, isAllowedHost);
  const isOfApi = target.path.startsWith(`${settings.basePath}/Api/`);
  const isForPeople = method === "GET" && !isOfApi && asksFor("text/html", request.headers.accept);
  // The page says that there is no such view.
  const otherwise = isForPeople ? routeTable.find(`${settings.basePath}/`) : undefined;
  const found = routeTable.find(target.path) ?? otherwise;
  if (found === undefined) {
    const list = `${settings.basePath}/openapi.json lists all paths`;
    throw new HttpError("unknown-route", `nothing is at ${quoted(target.path)}; ${list}`);
  }
  const { byMethod, hasExtraSlash } = found.entry;
  if (hasExtraSlash) return redirectWithoutSlash(method, target);
  const allowed = [...byMethod.keys()].flatMap((each) => (each === "GET" ? [each, "HEAD"] : each));
  const headers = { Allow: [...allowed, "OPTIONS"].join(", "), "Cache-Control": "no-store" };
  if (method === "OPTIONS") return { status: 204, headers };
  const route = byMethod.get(method === "HEAD" ? "GET" : method);
  if (route === undefined) {
    const detail = `${method} is not supported here: expected ${headers.Allow}`;
    throw new HttpError("method-not-allowed", detail, { headers });
  }
  return { route, target, pathParameters: found.parameters };
}

/**
 * Redirects only reads, since clients may repeat a redirected write as another method. Throws
 * `unknown-route`.
 */
function redirectWithoutSlash(method: string, { path, query }: RequestTarget): EmptyResponse {
  if (method !== "GET" && method !== "HEAD") {
    throw new HttpError(
      "unknown-route",
      `nothing is at ${quoted(path)}; remove the slash at the end`,
    );
  }
  const location = `${path.slice(0, -1)}${query === "" ? "" : `?${query}`}`;
  return { status: 308, headers: { Location: location, "Cache-Control": "no-store" } };
}

interface Match<Entry> {
  readonly entry: Entry;
  /** Decoded; may be empty. */
  readonly parameters: Readonly<Record<string, string>>;
}

interface Step<Entry> {
  readonly steps: Map<string, Step<Entry>>;
  /** Matches any segment that no literal step matches. */
  parameter: { readonly name: string; readonly step: Step<Entry> } | undefined;
  entry: Entry | undefined;
}

/**
 * Finds the entry at a path. Segments are compared decoded and case-insensitively; `{name}` matches any
 * segment, even an empty one, unless a literal segment matches.
 */
export class PathTable<Entry> {
  readonly #start: Step<Entry> = createStep();

  /** Registers `entry` at a path such as `/Api/Keys/{name}`. */
  set(path: string, entry: Entry): void {
    let step = this.#start;
    for (const segment of path.slice(1).split("/")) step = nextStep(step, segment);
    step.entry = entry;
  }

  /** `path` must begin with a slash and be decodable. */
  find(path: string): Match<Entry> | undefined {
    const segments = path.slice(1).split("/").map(decodeURIComponent);
    return follow(this.#start, segments);
  }
}

function createStep<Entry>(): Step<Entry> {
  return { steps: new Map(), parameter: undefined, entry: undefined };
}

function nextStep<Entry>(step: Step<Entry>, segment: string): Step<Entry> {
  const name = /^\{(\w+)\}$/.exec(segment)?.[1];
  if (name !== undefined) {
    step.parameter ??= { name, step: createStep() };
    if (step.parameter.name === name) return step.parameter.step;
    throw new Error(`BUG: the parameters ${step.parameter.name} and ${name} have the same place`);
  }
  const known = step.steps.get(segment.toLowerCase());
  if (known !== undefined) return known;
  const made = createStep<Entry>();
  step.steps.set(segment.toLowerCase(), made);
  return made;
}

function follow<Entry>(
  { entry, steps, parameter }: Step<Entry>,
  segments: readonly string[],
): Match<Entry> | undefined {
  const [segment, ...rest] = segments;
  if (segment === undefined) return entry === undefined ? undefined : { entry, parameters: {} };
  const step = steps.get(segment.toLowerCase());
  const found = step && follow(step, rest);
  if (found !== undefined || parameter === undefined) return found;
  const behind = follow(parameter.step, rest);
  if (behind === undefined) return undefined;
  return { ...behind, parameters: { [parameter.name]: segment, ...behind.parameters } };
}
