import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { sample } from "../../test/support/batches.ts";
import { createTestServer } from "../../test/support/test-server.ts";

const samples = [sample("a", 1_700_000_000)];
const QUERY = "loadTestId=run&filter=a";

test.each([
  ["/", "/Api/Metrics", 200],
  ["/", "/tests/Api/Metrics", 404],
  ["/tests", "/tests/Api/Metrics", 200],
  ["/tests", "/TESTS/api/metrics", 200],
  ["/tests/", "/tests/Api/Metrics", 200],
  ["/tests", "/Api/Metrics", 404],
  ["/a/b", "/a/b/Api/Metrics", 200],
])("with the base path %s, %s answers %d", async (basePath, path, status) => {
  const { ask } = await createTestServer({ samples, settings: { basePath } });
  expect((await ask(`${path}?${QUERY}`)).statusCode).toBe(status);
});

test("all other routes are under the base path too", async () => {
  const { server } = await createTestServer({ settings: { basePath: "/tests" } });
  for (const path of ["/tests/", "/tests/health/live", "/tests/openapi.json", "/tests/metrics"]) {
    expect((await server.inject(path)).statusCode).toBe(200);
  }
  expect((await server.inject("/tests/openapi.json")).json().servers).toEqual([{ url: "/tests" }]);
  const lost = (await server.inject("/")).json();
  expect([lost.status, lost.detail]).toEqual([
    404,
    'nothing is at "/"; /tests/openapi.json lists all paths',
  ]);
  const posted = await server.inject({ method: "POST", url: "/tests/metrics" });
  expect(posted.json().detail).toBe("POST is not supported here: expected GET, HEAD, OPTIONS");
});

test("one line is logged for a request, with the load test and without other values", async () => {
  const { ask, logged } = await createTestServer({ samples });
  const url = `/api/metrics?${QUERY}&format=csv&token=secret&from=1`;
  const answer = await ask(url);
  expect(logged).toEqual([
    {
      level: "info",
      event: "request",
      requestId: answer.headers["x-request-id"],
      address: "127.0.0.1",
      method: "GET",
      path: "/api/metrics",
      route: "getMetrics",
      loadTestId: "run",
      format: "csv",
      key: expect.any(String),
      status: 200,
      isComplete: true,
      elapsedMs: expect.any(Number),
    },
  ]);
});

test("a rejected key is logged with the reason, which the response omits", async () => {
  const { ask, logged } = await createTestServer();
  const answer = await ask("/Api/Metrics", { key: "tgk_nonsense" });
  expect(logged[0]).toMatchObject({ level: "warn", event: "auth_failed", reason: "malformed" });
  expect(answer.body).not.toContain("malformed");
  expect(JSON.stringify(logged)).not.toContain("tgk_nonsense");
});

test("an unexpected error is a 500 without details, and the log has them all", async () => {
  const { ask, logged } = await createTestServer({
    dependencies: {
      openMetrics: async () => Promise.reject(new Error("/var/lib/secret.db is gone")),
    },
  });
  const answer = await ask(`/Api/Metrics?${QUERY}`);
  expect(answer.statusCode).toBe(500);
  expect(answer.body).not.toContain("secret");
  expect(logged.find(({ level }) => level === "error")).toMatchObject({
    event: "server_fault",
    err: new Error("/var/lib/secret.db is gone"),
  });
});

test("metrics count responses by operation, method and status, never by client input", async () => {
  const { server, key } = await createTestServer({ samples });
  const headers = { "x-service-auth": key };
  await server.inject({ url: `/Api/Metrics?${QUERY}`, headers });
  await server.inject({ url: "/api/metrics", headers });
  await server.inject("/evil/path");
  const { body } = await server.inject("/metrics");
  expect(body).toContain(
    'tachograph_http_requests_total{route="getMetrics",method="GET",status="200"} 1',
  );
  expect(body).toContain(
    'tachograph_http_requests_total{route="getMetrics",method="GET",status="400"} 1',
  );
  expect(body).toContain(
    'tachograph_http_requests_total{route="none",method="GET",status="404"} 1',
  );
  expect(body).toContain("tachograph_http_request_duration_seconds_count{");
  expect(body).toContain("nodejs_eventloop_lag_p99_seconds");
  expect(body).toContain("process_resident_memory_bytes");
  expect(body).not.toContain("evil");
});

test("a server that closes is alive, but not ready", async () => {
  const { server } = await createTestServer();
  expect((await server.inject("/health/ready")).statusCode).toBe(200);
  const closing = server.close();
  const [live, ready] = await Promise.all([
    server.inject("/health/live"),
    server.inject("/health/ready"),
  ]);
  await closing;
  expect([live.statusCode, ready.statusCode]).toEqual([200, 503]);
  expect(ready.headers["retry-after"]).toBe("5");
});

test("the page holds no script and no style, and forbids both from elsewhere", async () => {
  const { server } = await createTestServer();
  const page = await server.inject("/");
  expect(page.headers["content-type"]).toBe("text/html; charset=utf-8");
  expect(page.headers["content-security-policy"]).toContain("default-src 'none'");
  expect(page.body).not.toMatch(/<script|<style|style=|\son\w+=|https?:/i);
});

test("OPTIONS and redirects are not cacheable", async () => {
  const { server } = await createTestServer();
  const preflight = await server.inject({ method: "OPTIONS", url: "/Api/Metrics" });
  const redirect = await server.inject("/api/metrics/?a=1");
  expect([preflight.statusCode, preflight.headers["cache-control"]]).toEqual([204, "no-store"]);
  expect([redirect.statusCode, redirect.headers["cache-control"]]).toEqual([308, "no-store"]);
  expect(redirect.headers.location).toBe("/api/metrics?a=1");
});

test.each(["DELETE", "POST", "PUT", "PATCH", "OPTIONS"] as const)(
  "%s with a slash at the end of the path is not redirected",
  async (method) => {
    const { server } = await createTestServer();
    const answer = await server.inject({ method, url: "/Api/LoadTests/run/Sources/" });
    expect([answer.statusCode, answer.headers.location]).toEqual([404, undefined]);
    expect(answer.json().detail).toContain("remove the slash at the end");
  },
);

test("small answers are compressed, however many large ones are", async () => {
  const { server } = await createTestServer({ settings: { compressionsMax: 0 } });
  const answer = await server.inject({ url: "/", headers: { "accept-encoding": "gzip" } });
  expect(answer.headers["content-encoding"]).toBe("gzip");
  expect(gunzipSync(answer.rawPayload).toString()).toContain("<h1>Tachograph</h1>");
});

test("a load test or label named like a property of objects pollutes nothing", async () => {
  const { ask } = await createTestServer({ samples: [sample("__proto__", 5)] });
  const url =
    "/Api/Metrics?loadTestId=run&filter=__proto__&__proto__=x&constructor=y&format=default";
  const answer = await ask(url);
  expect(answer.body).toContain('"label":"__proto__"');
  expect(({} as { polluted?: string }).polluted).toBeUndefined();
});
