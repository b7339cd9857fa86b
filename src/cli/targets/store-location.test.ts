import { afterEach, expect, test, vi } from "vitest";
import { createFakeProgram } from "../../../test/support/fake-program.ts";
import { openMemoryStore } from "../../../test/support/memory-store/memory-store.ts";
import { checkServer, parseStoreLocation, type StoreLocation } from "./store-location.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

test("a directory is a store location", () => {
  expect(parseStoreLocation("/srv/data", {})).toEqual({ directory: "/srv/data" });
});

test.each(["", "http://ch:8123", "https://user:hunter2@results.example.org", "s3://hunter2@x"])(
  "%j is not a store location, and no password is shown",
  (text) => {
    const parse = () => parseStoreLocation(text, {});
    expect(parse).toThrow("expected a directory");
    expect(parse).not.toThrow("hunter2");
  },
);

test.each([
  ["http://user:hunter2@results.example.org", "http://user:…@results.example.org"],
  ["https://hunter2@results.example.org/x", "https://…@results.example.org/x"],
  ["user:hunter2@results.example.org", "user:…@results.example.org"],
  ["http://user:hunter2@hunter2/hunter2@results.example.org", "http://user:…@results.example.org"],
  ["https://results.example.org/x?key=hunter2", "https://results.example.org/x?…"],
  ["https://results.example.org/#hunter2", "https://results.example.org/#…"],
])("a server's URL %j is refused without showing its secrets", (url, shown) => {
  expect(() => checkServer(url, "tgk_key")).toThrow(`got ${JSON.stringify(shown)}`);
});

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

const DATABASE = "postgres://user:hunter2@db/results";

test.each<[words: string[], environment: Record<string, string>, postgres: string | undefined]>([
  [["--postgres", "@/run/url"], { POSTGRES: DATABASE }, "@/run/url"],
  [["--postgres", DATABASE], { DATA: "/other", URL: "http://c" }, DATABASE],
  [[], { DATA: "/other", POSTGRES: DATABASE }, DATABASE],
  [["--data", "/here"], { POSTGRES: DATABASE }, undefined],
])("with %j and %j, the database is %s", async (words, environment, postgres) => {
  for (const [name, value] of Object.entries(environment)) {
    vi.stubEnv(`TACHOGRAPH_${name}`, value);
  }
  const opened: StoreLocation[] = [];
  const store = { ...openMemoryStore(), close: async () => {} };
  const program = createFakeProgram(store, (location) => void opened.push(location));
  expect(await program.run(["tests", "list", ...words])).toMatchObject({ exitCode: 0 });
  expect(opened.map((location) => location.postgres)).toEqual([postgres]);
});

test.each(["tests list", "backup file", "config"])(
  "%s takes a directory or a database, not both",
  async (words) => {
    const flags = ["--data", "/here", "--postgres", DATABASE];
    const { exitCode, error } = await createFakeProgram().run([...words.split(" "), ...flags]);
    expect(exitCode).toBe(2);
    expect(error).toContain("leave out one of them");
    expect(error).not.toContain("hunter2");
  },
);

test.each(["backup", "restore"])("%s refuses a database", async (command) => {
  const words = [command, "file", "--postgres", DATABASE];
  const { exitCode, error } = await createFakeProgram().run(words);
  expect(exitCode).toBe(2);
  expect(error).toContain("pg_dump");
});

test("config does not show the password of a database", async () => {
  const { out } = await createFakeProgram().run(["config", "--postgres", DATABASE]);
  expect(out).toMatch(/^--postgres +set +command line/m);
  expect(out).not.toContain("hunter2");
});
