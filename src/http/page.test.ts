import { afterAll, expect, test } from "vitest";
import { createTestServer } from "../../test/support/test-server.ts";

const page = {
  document: '<!doctype html><script src="/__base__/assets/a.js"></script>',
  assets: new Map([
    ["a.js", { contentType: "text/javascript; charset=utf-8", content: 'from("/__base__/")' }],
    [
      "a.woff2",
      { contentType: "font/woff2", content: Uint8Array.of(0x77, 0x4f, 0x46, 0x32, 0xff) },
    ],
  ]),
};
const world = await createTestServer({ dependencies: { page }, settings: { basePath: "/perf" } });
const plain = await createTestServer();
afterAll(() => Promise.all([world.server.close(), plain.server.close()]));

test.each(["/perf/", "/perf/t/checkout-nightly"])(
  "%s is the document, under its base path and under its policy, and needs no key",
  async (url) => {
    const { statusCode, body, headers } = await world.server.inject(url);
    expect(statusCode).toBe(200);
    expect(body).toContain('src="/perf/assets/a.js"');
    expect(headers["content-security-policy"]).toContain("script-src 'self'");
    expect(headers["content-security-policy"]).not.toContain("unsafe");
    expect(headers["content-type"]).toBe("text/html; charset=utf-8");
  },
);

test("assets of the document are cacheable for a year and contain the base path", async () => {
  const { statusCode, body, headers } = await world.server.inject("/perf/assets/a.js");
  expect([statusCode, body]).toEqual([200, 'from("/perf/")']);
  expect(headers["cache-control"]).toContain("immutable");
  expect(headers["content-type"]).toBe("text/javascript; charset=utf-8");
});

test.each(["/perf/assets/b.js", "/perf/t", "/perf/t/a/b", "/perf/assets/..%2Fpackage.json"])(
  "%s is not found",
  async (url) => {
    expect((await world.server.inject(url)).statusCode).toBe(404);
  },
);

test.each([
  ["text/html,application/xhtml+xml,*/*;q=0.8", 200, "<!doctype html>"],
  ["application/json", 404, "unknown-route"],
  ["*/*", 404, "unknown-route"],
])("a mistyped address, asked for as %s", async (accept, status, text) => {
  const { statusCode, body } = await world.server.inject({
    url: "/perf/tests/a",
    headers: { accept },
  });
  expect([statusCode, body]).toEqual([status, expect.stringContaining(text)]);
});

test("a mistyped address of the API is an error for a browser, too", async () => {
  const { statusCode, body } = await world.server.inject({
    url: "/perf/Api/LoadTest",
    headers: { accept: "text/html" },
  });
  expect([statusCode, body]).toEqual([404, expect.stringContaining("unknown-route")]);
});

test("of the page, only its first view is an operation of the service", async () => {
  const { paths } = (await world.server.inject("/perf/openapi.json")).json();
  expect(Object.keys(paths)).toContain("/");
  expect(
    Object.keys(paths).filter((path) => /^\/(assets|t|keys|compare)(\/|$)/.test(path)),
  ).toEqual([]);
});

test("a build without the page files says what runs here", async () => {
  const { body } = await plain.server.inject("/");
  expect(body).toContain("openapi.json");
  expect((await plain.server.inject("/t/a")).statusCode).toBe(404);
});

test("a font is sent as it is, from the page's own origin", async () => {
  const { statusCode, rawPayload, headers } = await world.server.inject({
    url: "/perf/assets/a.woff2",
    headers: { "accept-encoding": "gzip" },
  });
  expect([statusCode, [...rawPayload]]).toEqual([200, [0x77, 0x4f, 0x46, 0x32, 0xff]]);
  expect(headers["content-type"]).toBe("font/woff2");
  expect(headers["cache-control"]).toContain("immutable");
  expect(headers["content-encoding"]).toBeUndefined();
  const document = await world.server.inject("/perf/");
  expect(document.headers["content-security-policy"]).toContain("font-src 'self'");
});
