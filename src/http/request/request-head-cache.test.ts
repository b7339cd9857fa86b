import { expect, test } from "vitest";
import { RequestHeadCache, type ReadHead } from "./request-head-cache.ts";
import { liveRoute } from "../routes/health.ts";

const HEAD = headOf("GET", "/Api/Metrics?loadTestId=1", ["Host", "a", "X-Service-Auth", "k"]);

function headOf(method: string, originalUrl: string, rawHeaders: string[]) {
  return { method, originalUrl, raw: { rawHeaders } };
}

function read(key: string): ReadHead {
  const target = { path: "/", query: "", authority: undefined };
  return {
    route: liveRoute,
    target,
    key,
    noted: { path: "/", fields: {} },
    values: new Map(),
    coding: "identity",
    lastAnswer: undefined,
  };
}

test("a head is known again when it comes byte for byte", () => {
  const heads = new RequestHeadCache();
  heads.keep(HEAD, read("k"));
  expect(heads.find({ ...HEAD, raw: { rawHeaders: [...HEAD.raw.rawHeaders] } })?.key).toBe("k");
});

test.each([
  headOf("HEAD", HEAD.originalUrl, HEAD.raw.rawHeaders),
  headOf("GET", `${HEAD.originalUrl}&from=1`, HEAD.raw.rawHeaders),
  headOf("GET", HEAD.originalUrl, ["Host", "a", "X-Service-Auth", "l"]),
  headOf("GET", HEAD.originalUrl, ["Host", "a", "x-service-auth", "k"]),
  headOf("GET", HEAD.originalUrl, [...HEAD.raw.rawHeaders, "X-Service-Auth", "k"]),
  headOf("GET", HEAD.originalUrl, ["X-Service-Auth", "k", "Host", "a"]),
])("%j is another one", (other) => {
  const heads = new RequestHeadCache();
  heads.keep(HEAD, read("k"));
  expect(heads.find(other)).toBe(undefined);
});

test("the thousand that were used last are known, and none that is very long", () => {
  const heads = new RequestHeadCache();
  const numbered = (number: number) => headOf("GET", `/${number}`, []);
  for (let number = 0; number < 1000; number++) heads.keep(numbered(number), read("k"));
  heads.find(numbered(0));
  heads.keep(numbered(1000), read("k"));
  expect([0, 1, 2, 1000].filter((number) => heads.find(numbered(number)))).toEqual([0, 2, 1000]);
  const long = headOf("GET", `/${"a".repeat(2048)}`, []);
  heads.keep(long, read("k"));
  expect(heads.find(long)).toBe(undefined);
});
