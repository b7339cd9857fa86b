import { expect, test } from "vitest";
import { DEFAULT_HTTP_SETTINGS, type HttpSettings, resolveHttpSettings } from "./settings.ts";

test("without settings everything is as documented", () => {
  expect(resolveHttpSettings({})).toEqual({ ...DEFAULT_HTTP_SETTINGS, basePath: "" });
});

test.each([
  ["/", ""],
  ["/a", "/a"],
  ["/a/b/", "/a/b"],
])("the base path %s is stored as %j", (basePath, kept) => {
  expect(resolveHttpSettings({ basePath }).basePath).toBe(kept);
});

test.each<[Partial<HttpSettings> | object, string]>([
  [{ port: 65_536 }, "port"],
  [{ port: -1 }, "port"],
  [{ port: 1.5 }, "port"],
  [{ stallMs: Number.NaN }, "stallMs"],
  [{ stallMs: 2 ** 31 }, "stallMs"],
  [{ drainMs: 2 ** 53 - 1 }, "drainMs"],
  [{ uploadsMax: 0 }, "uploadsMax"],
  [{ basePath: "a" }, "basePath"],
  [{ basePath: "//evil.example" }, "basePath"],
  [{ basePath: "/a?b" }, "basePath"],
  [{ trustedProxies: ["proxy"] }, "trustedProxies"],
  [{ corsOrigins: ["*"] }, "corsOrigins"],
  [{ corsOrigins: ["https://a.example/"] }, "corsOrigins"],
  [{ corsOrigins: ["null"] }, "corsOrigins"],
  [{ keyHeaders: ["a b"] }, "keyHeaders"],
  [{ allowedHosts: ["a:1"] }, "allowedHosts"],
  [{ traceUrl: "https://tempo.example/trace/" }, "traceUrl"],
  [{ traceUrl: "javascript:{traceId}" }, "traceUrl"],
  [{ prot: 1 }, "prot"],
])("%j is rejected by name", (requests, name) => {
  expect(() => resolveHttpSettings(requests)).toThrow(
    expect.objectContaining({ code: "bad-setting", message: expect.stringContaining(name) }),
  );
});

test("key headers are stored once, without the one that is always read", () => {
  const keyHeaders = ["X-Api-Key", "x-api-key", "X-SERVICE-AUTH"];
  expect(resolveHttpSettings({ keyHeaders }).keyHeaders).toEqual(["x-api-key"]);
});
