import { afterEach, expect, test, vi } from "vitest";
import { createFakeProgram } from "../../../test/support/fake-program.ts";
import { openMemoryStore } from "../../../test/support/memory-store/memory-store.ts";
import { parseStoreLocation, type StoreLocation } from "./store-location.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

test("a directory is a store location", () => {
  expect(parseStoreLocation("/srv/data", {})).toEqual({ directory: "/srv/data" });
});

test.each(["", "http://ch:8123", "https://user:hunter2@results.example.org"])(
  "%j is not a store location, and no password is shown",
  (text) => {
    const parse = () => parseStoreLocation(text, {});
    expect(parse).toThrow("expected a directory");
    expect(parse).not.toThrow("hunter2");
  },
);

test.each<[words: string[], environment: Record<string, string>, directory: string]>([
  [[], {}, "/data/tachograph"],
  [[], { DATA: "/other" }, "/other"],
  [["--data", "/here"], { DATA: "/other" }, "/here"],
  [["--data", "/here"], { URL: "http://c" }, "/here"],
])("with %j and %j, load tests are listed from %s", async (words, environment, directory) => {
  for (const [name, value] of Object.entries(environment)) {
    vi.stubEnv(`TACHOGRAPH_${name}`, value);
  }
  const opened: StoreLocation[] = [];
  const store = { ...openMemoryStore(), close: async () => {} };
  await createFakeProgram(store, (location) => void opened.push(location)).run([
    "tests",
    "list",
    ...words,
  ]);
  expect(opened).toEqual([{ directory }]);
});
