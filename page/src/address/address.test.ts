import { afterAll, beforeAll, expect, test, vi } from "vitest";

// The build sets the base path; test files share modules.
vi.resetModules();
vi.stubEnv("BASE_URL", "/perf/");
afterAll(() => void vi.resetModules());
type Module = typeof import("./address.ts");
let module: Module;
beforeAll(async () => {
  module = await import("./address.ts");
});

test.each([
  ["/perf/", { name: "tests" }],
  ["/perf/runs", { name: "list" }],
  ["/perf/t/a.b-1", { name: "load-test", id: "a.b-1" }],
  ["/perf/compare/old/new", { name: "compare", base: "old", id: "new" }],
  ["/perf/compare", { name: "compare-runs" }],
  ["/perf/trend/checkout%2C%20a%2Fb", { name: "trend", series: "checkout, a/b" }],
  ["/perf/trend", { name: "trend", series: undefined }],
  ["/perf/keys", { name: "keys" }],
])("%s is a view, and its link leads back", (path, view) => {
  expect(module.readAddress(path, "").view).toEqual(view);
  expect(module.linkTo(view as Parameters<Module["linkTo"]>[0])).toBe(path);
});

test.each([
  "/perf/t",
  "/perf/t/%FF",
  "/perf/t/a/b",
  "/perf/x",
  "/perf/compare/a",
  "/perf/trend/a/b",
])("%s is not a view", (path) => {
  expect(module.readAddress(path, "").view).toEqual({ name: "nowhere" });
});

test.each(["/perf/compare//a", "/perf/compare/a/", "/perf/compare//"])("%s lacks a run", (path) => {
  const { view } = module.readAddress(path, "");
  expect(view).toEqual({ name: "nowhere", lacks: "run" });
});

test("parameters come back as they were given", () => {
  const given = new Map([["filter", "GET /a b&c=ä"]]);
  const link = module.linkTo({ name: "load-test", id: "x" }, given);
  expect(module.readAddress("/perf/t/x", link.slice(link.indexOf("?"))).parameters).toEqual(given);
});
