import { afterAll, expect, test } from "vitest";
import { sample } from "../../test/support/batches.ts";
import { createTestServer } from "../../test/support/test-server.ts";

const { server, key } = await createTestServer({ samples: [sample("a", 10), sample("b", 11)] });
afterAll(() => server.close());

function get(path: string) {
  const headers = { "X-Service-Auth": key };
  return server.inject({ url: `/Api/LoadTests/${path}`, headers });
}

test("a report is a download that never runs in the origin of the service", async () => {
  const { statusCode, headers, body } = await get("run/Report?filter=a");
  expect(statusCode).toBe(200);
  expect(headers["content-type"]).toBe("text/html; charset=utf-8");
  expect(headers["content-disposition"]).toBe('attachment; filename="run.html"');
  expect(headers["content-security-policy"]).toBe("sandbox; default-src 'none'");
  expect(headers["cache-control"]).toBe("no-store");
  expect(body).toMatch(/^<title>name of run · Tachograph<\/title><script>[A-Za-z0-9+/=]+</);
});

test("a report needs a key", async () => {
  expect((await server.inject("/Api/LoadTests/run/Report")).statusCode).toBe(401);
});

test.each([
  ["other/Report", 404, "unknown-load-test"],
  ["run/Report?from=5&until=5", 400, "bad-parameter"],
  ["run/Report?address=javascript:alert(1)", 400, "bad-parameter"],
  ["run/Report?address=https://a%20b", 400, "bad-parameter"],
])("%s is refused with %d", async (path, status, code) => {
  const { statusCode, body } = await get(path);
  expect(statusCode).toBe(status);
  expect(JSON.parse(body).type).toBe(`urn:tachograph:error:${code}`);
});
