import { afterEach, expect, test, vi } from "vitest";
import { createFakeProgram } from "../../../test/support/fake-program.ts";
import { openMemoryStore } from "../../../test/support/memory-store/memory-store.ts";
import {
  clickHouseValues,
  describeLocation,
  parseStoreLocation,
  type StoreLocation,
} from "./store-location.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

test.each<[text: string, location: StoreLocation]>([
  ["/srv/data", { directory: "/srv/data" }],
  ["clickhouse:http://ch:8123", { clickhouse: ["http://ch:8123"] }],
  [
    "clickhouse:1=http://a:8123,http://b:8123 2=http://c:8123 database=load",
    { clickhouse: ["1=http://a:8123,http://b:8123", "2=http://c:8123", "database=load"] },
  ],
  ["clickhouse:@my cluster.json", { clickhouse: ["@my cluster.json"] }],
])("%s is a store location", (text, location) => {
  expect(parseStoreLocation(text, {})).toEqual(location);
});

test.each(["", "http://ch:8123", "https://user:hunter2@results.example.org"])(
  "%j is not a store location, and no password is shown",
  (text) => {
    const parse = () => parseStoreLocation(text, {});
    expect(parse).toThrow("expected a directory or clickhouse:http://HOST:8123");
    expect(parse).not.toThrow("hunter2");
  },
);

test("values add up, and a location is shown without its password", () => {
  const clickhouse = clickHouseValues("http://b:8123", clickHouseValues("http://u:hunter2@a:8123"));
  expect(describeLocation({ clickhouse })).toBe("clickhouse:http://u:…@a:8123 http://b:8123");
});

async function placeOf(words: readonly string[]): Promise<StoreLocation | string> {
  const opened: StoreLocation[] = [];
  const store = { ...openMemoryStore(), close: async () => {} };
  const program = createFakeProgram(store, (location) => void opened.push(location));
  const { error } = await program.run(words);
  return opened[0] ?? error;
}

const LIST = ["tests", "list"];
const SERVERS = { clickhouse: ["http://a:8123", "http://b:8123"] };
const DEFAULT = { directory: "/data/tachograph" };

test.each<[words: string[], environment: Record<string, string>, location: StoreLocation]>([
  [[], {}, DEFAULT],
  [["--clickhouse", "http://a:8123", "--clickhouse", "http://b:8123"], {}, SERVERS],
  [[], { CLICKHOUSE: "http://a:8123 http://b:8123" }, SERVERS],
  [[], { CLICKHOUSE: "http://a:8123 http://b:8123", DATA: "/other" }, SERVERS],
  [["--data", "/here"], { CLICKHOUSE: "http://a:8123" }, { directory: "/here" }],
  [["--clickhouse", "http://a:8123 http://b:8123"], { DATA: "/other", URL: "http://c" }, SERVERS],
])("with %j and %j, load tests are listed from %j", async (words, environment, location) => {
  for (const [name, value] of Object.entries(environment)) {
    vi.stubEnv(`TACHOGRAPH_${name}`, value);
  }
  expect(await placeOf([...LIST, ...words])).toEqual(location);
});

test.each([
  ["keys list"],
  ["summary run"],
  ["metrics run --filter ."],
  ["failures run"],
  ["compare run run"],
  ["check run --fail-if errors>1"],
  ["report run -o /dev/null"],
  ["tests prune --keep-days 9"],
  ["verify"],
])("%s works on ClickHouse", async (line) => {
  expect(await placeOf([...line.split(" "), "--clickhouse=http://a:8123"])).toEqual({
    clickhouse: ["http://a:8123"],
  });
});

test.each([
  [["--data", "/here", "--clickhouse", "http://a:8123"], "--clickhouse and --data"],
  [["--url", "http://c", "--clickhouse", "http://a:8123"], "--url and --clickhouse"],
])("two locations are rejected: %j", async (words, told) => {
  expect(await placeOf([...LIST, ...words])).toContain(`expected one store, got ${told}`);
});

test("serve accepts ClickHouse servers and keeps the demo key on this machine", async () => {
  const program = createFakeProgram();
  await program.run(["serve", "--clickhouse", "http://a:8123", "--port", "0"]);
  const location = { clickhouse: ["http://a:8123"] };
  expect(program.served).toMatchObject([
    { location, directory: DEFAULT.directory, http: { port: 0 } },
  ]);
  expect(Object.keys(program.served[0]?.http ?? {})).not.toContain("clickhouse");
});

test("config shows servers without passwords", async () => {
  const words = ["config", "--json", "--clickhouse", "https://user:hunter2@a:8443"];
  const { out } = await createFakeProgram().run(words);
  expect(out).not.toContain("hunter2");
  expect(JSON.parse(out)).toContainEqual({
    name: "clickhouse",
    value: ["https://user:…@a:8443"],
    from: "command line",
    flag: "--clickhouse",
    variable: "TACHOGRAPH_CLICKHOUSE",
    description: expect.any(String) as unknown,
  });
});

test.each(["backup", "restore"])("%s says that it is of directories", async (command) => {
  vi.stubEnv("TACHOGRAPH_CLICKHOUSE", "http://a:8123");
  const { exitCode, error } = await createFakeProgram().run([command, "file"]);
  expect([exitCode, error]).toEqual([
    2,
    expect.stringContaining("only data directories can be backed up"),
  ]);
});

test("migrate reports its work on each server, and that a directory needs no migration", async () => {
  const program = createFakeProgram();
  const words = ["migrate", "--clickhouse", "http://a:8123 http://b:8123"];
  expect(await program.run(words)).toEqual({
    exitCode: 0,
    out: "http://a:8123: made with version 1\nhttp://b:8123: made with version 1\n",
    error: "",
  });
  const { exitCode, error } = await program.run(["migrate"]);
  expect([exitCode, error]).toEqual([2, expect.stringContaining("expected --clickhouse")]);
});
