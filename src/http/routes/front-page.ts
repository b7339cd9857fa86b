import { type Route, textResponse } from "../route.ts";

/** Own resources only: no inline scripts or styles, no other origins, no framing. */
export const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
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
<pre>curl -H 'X-Service-Auth: KEY' 'HERE/Api/Metrics?loadTestId=ID&amp;filter=/&amp;format=csv'</pre>
<ul>
<li><a href="openapi.json">openapi.json</a>: every operation, parameter and answer</li>
<li><a href="health/ready">health/ready</a>: whether requests can be answered</li>
<li><a href="metrics">metrics</a>: figures about this process, for Prometheus</li>
</ul>
</body>
</html>
`;

/** A short page that names the program, if the web UI is not built. */
export const frontPageRoute: Route = {
  method: "GET",
  path: "/",
  operationId: "getFrontPage",
  summary: "A page that names this service",
  description: "Needs no key and shows nothing of any load test.",
  scope: undefined,
  parameters: [],
  mediaType: "text/html",
  schema: { type: "string" },
  errors: [],
  handle: async () =>
    textResponse(PAGE, {
      contentType: "text/html; charset=utf-8",
      headers: { "Content-Security-Policy": PAGE_POLICY },
      isCacheable: true,
    }),
};
