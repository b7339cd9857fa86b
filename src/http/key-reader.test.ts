import { expect, test } from "vitest";
import { createHeaderKeyReader, createInfluxKeyReader } from "./key-reader.ts";

function carrierOf(headers: Readonly<Record<string, readonly string[]>>) {
  return { header: (name: string) => headers[name] ?? [], query: () => [] };
}

test("the key is in X-Service-Auth or in another configured header", () => {
  const reader = createHeaderKeyReader(["x-api-key"]);
  expect(reader.read(carrierOf({ "x-service-auth": ["a"], other: ["b"] }))).toBe("a");
  expect(reader.read(carrierOf({ "x-api-key": ["b"] }))).toBe("b");
  expect(createHeaderKeyReader([]).read(carrierOf({ "x-api-key": ["b"] }))).toBeUndefined();
});

test("a request without a key has none", () => {
  expect(createHeaderKeyReader([]).read(carrierOf({}))).toBeUndefined();
});

test.each([
  { "x-service-auth": ["a", "b"] },
  { "x-service-auth": ["a"], "x-api-key": ["a"] },
  { "x-api-key": ["a", "a"] },
])("two keys are refused, whichever they are: %j", (headers) => {
  const read = () => createHeaderKeyReader(["x-api-key"]).read(carrierOf(headers));
  expect(read).toThrow("expected one key, got 2");
  expect(read).toThrow(expect.objectContaining({ code: "duplicate-header" }));
});

test("the refusal of a missing key says where to put it", () => {
  const { challenge, expectation, schemes } = createHeaderKeyReader([]);
  expect(challenge).toBe('X-Service-Auth realm="tachograph"');
  expect(expectation).toBe("expected a valid key in the header X-Service-Auth");
  expect(schemes).toEqual({
    key: {
      type: "apiKey",
      in: "header",
      name: "X-Service-Auth",
      description: "A key made with `tachograph keys create`.",
    },
  });
});

test.each([
  ["Token a", "a"],
  ["token   anna:a:b", "a:b"],
  ["Bearer anna b:a", "a"],
  ["Token anna:", "anna:"],
  ["Token a b", "Token a b"],
])("InfluxDB clients send a key as %j", (authorization, key) => {
  const reader = createInfluxKeyReader(createHeaderKeyReader([]));
  expect(reader.read(carrierOf({ authorization: [authorization] }))).toBe(key);
});

test("a header of blanks is read in linear time, since it comes before any key", () => {
  const reader = createInfluxKeyReader(createHeaderKeyReader([]));
  const beganMs = performance.now();
  for (const scheme of ["token", "bearer", "basic"]) {
    const authorization = `${scheme}${" ".repeat(32_000)}a b`;
    expect(reader.read(carrierOf({ authorization: [authorization] }))).toBe(authorization);
  }
  expect(performance.now() - beganMs).toBeLessThan(500);
});
