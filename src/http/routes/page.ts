import { type RouteResponse, type Route, textResponse } from "../route.ts";

/** Own resources only: no inline scripts or styles, no other origins, no framing. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join("; ");

const PAGE = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Tachograph</title></head>
<body>
<h1>Tachograph</h1>
<p>A results server for load tests: metrics of test runs, per endpoint and per second.</p>
<pre>curl -H 'X-Service-Auth: KEY' 'HERE/Api/Metrics?loadTestId=ID&amp;all=true&amp;format=csv'</pre>
<ul>
<li><a href="openapi.json">openapi.json</a>: every operation, parameter and answer</li>
<li><a href="health/ready">health/ready</a>: whether requests can be answered</li>
<li><a href="metrics">metrics</a>: figures about this process, for Prometheus</li>
</ul>
</body>
</html>
`;

/** A short page that names the program, if the web UI is not built. */
const frontPageRoute: Route = {
  method: "GET",
  path: "/",
  operationId: "getFrontPage",
  summary: "A page that names this service",
  description: "Needs no key and shows nothing of any load test.",
  scope: undefined,
  mediaType: "text/html",
  schema: { type: "string" },
  handle: async () => htmlResponse(PAGE),
};

function htmlResponse(document: string): RouteResponse {
  return textResponse(document, {
    contentType: "text/html; charset=utf-8",
    headers: { "Content-Security-Policy": PAGE_POLICY },
    isCacheable: true,
  });
}

export interface PageFiles {
  /** The HTML document of every view. */
  readonly document: string;
  /** Assets by name below `assets/`; names contain a hash of the content. */
  readonly assets: ReadonlyMap<string, PageAsset>;
}

export interface PageAsset {
  readonly contentType: string;
  /** Text may contain the base path mark. Bytes are compressed already. */
  readonly content: string | Uint8Array;
}

/** Placeholder for the base path in the built files. */
const BASE_PATH_MARK = "/__base__/";

/** Views besides the first one. */
const VIEW_PATHS = [
  "/runs",
  "/t/{id}",
  "/compare",
  "/compare/{base}/{id}",
  "/trend",
  "/trend/{name}",
  "/keys",
];

const A_YEAR = "public, max-age=31536000, immutable";

/** Routes of the web UI: its views and assets. Only the first view is in the OpenAPI document. */
export function createPageRoutes(files: PageFiles | undefined, basePath: string): readonly Route[] {
  if (files === undefined) return [frontPageRoute];
  const document = files.document.replaceAll(BASE_PATH_MARK, `${basePath}/`);
  const first = {
    ...frontPageRoute,
    summary: "The page",
    handle: async () => htmlResponse(document),
  };
  const views = VIEW_PATHS.map((path) => ({
    ...first,
    path,
    operationId: `page:${path}`,
    isDescribed: false,
  }));
  const assets = [...files.assets].map(([name, asset]) => assetRoute(name, asset, basePath));
  return [first, ...views, ...assets];
}

function assetRoute(name: string, asset: PageAsset, basePath: string): Route {
  const { contentType, content } = asset;
  const text =
    typeof content === "string" ? content.replaceAll(BASE_PATH_MARK, `${basePath}/`) : "";
  const response = textResponse(text, {
    contentType,
    headers: { "Cache-Control": A_YEAR },
    isCacheable: true,
  });
  return {
    ...frontPageRoute,
    path: `/assets/${name}`,
    operationId: `page:${name}`,
    isDescribed: false,
    mediaType: contentType.replace(/;.*/, ""),
    handle: async () =>
      typeof content === "string" ? response : { ...response, ...compressed(name, content) },
  };
}

/** The part of a response that differs for bytes which would not get smaller. */
function compressed(name: string, bytes: Uint8Array): Partial<RouteResponse> {
  return {
    isPlain: true,
    tagParts: [name],
    async *chunks() {
      yield bytes;
    },
  };
}
