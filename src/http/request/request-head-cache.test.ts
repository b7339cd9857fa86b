import { expect, test } from "vitest";
import { RequestHeadCache, type ReadHead } from "./request-head-cache.ts";
import { liveRoute } from "../routes/service.ts";

const HEAD = headOf("GET", "/Api/Metrics?loadTestId=1", ["Host", "a", "X-Service-Auth", "k"]);

function headOf(method: string, url: string, rawHeaders: string[]) {
  return { method, url, rawHeaders };
}

function read(key: string): ReadHead {
  return {
    route: liveRoute,
    key,
    loggedTarget: { path: "/", fields: {} },
    values: new Map(),
    coding: "identity",
    lastResponse: undefined,
  };
}

test("a request head is recognised if it is identical byte for byte", () => {
  const heads = new RequestHeadCache();
  heads.keep(HEAD, read("k"));
  expect(heads.find({ ...HEAD, rawHeaders: [...HEAD.rawHeaders] })?.key).toBe("k");
});

test.each([
  headOf("HEAD", HEAD.url, HEAD.rawHeaders),
  headOf("GET", `${HEAD.url}&from=1`, HEAD.rawHeaders),
  headOf("GET", HEAD.url, ["Host", "a", "X-Service-Auth", "l"]),
  headOf("GET", HEAD.url, ["Host", "a", "x-service-auth", "k"]),
  headOf("GET", HEAD.url, [...HEAD.rawHeaders, "X-Service-Auth", "k"]),
  headOf("GET", HEAD.url, ["X-Service-Auth", "k", "Host", "a"]),
])("%j is a different head", (other) => {
  const heads = new RequestHeadCache();
  heads.keep(HEAD, read("k"));
  expect(heads.find(other)).toBe(undefined);
});

test("the 1,000 most recent heads are cached, but no very long one", () => {
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
