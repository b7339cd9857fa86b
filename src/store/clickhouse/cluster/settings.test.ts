import { expect, test } from "vitest";
import { parseClickHouseLocation } from "./settings.ts";

const A = "http://a:8123";
const B = "http://b:8123";
const C = "https://c:8443/click";

const FILES: Readonly<Record<string, string>> = {
  "ca.pem": "-----BEGIN CERTIFICATE-----",
  "cluster.json": JSON.stringify({
    shards: [[A, B], [C]],
    database: "perf",
    user: "writer",
    password: "from the file",
    quorum: 1,
    zooKeeperPath: "/perf/1",
    caFile: "ca.pem",
  }),
  "no-json": '{ "password": "secret",',
  "no-shards.json": "{}",
  "flat-shards.json": JSON.stringify({ shards: [A] }),
  "list.json": "[]",
  "strange.json": JSON.stringify({ shards: [[A]], passwort: "secret" }),
  "nested.json": JSON.stringify({ shards: [[A]], quorum: { of: 2 } }),
};

function parse(values: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  return parseClickHouseLocation(values, environment, (path) => FILES[path] ?? "");
}

const SINGLE = { shards: [[A]], database: "tachograph", isReplicated: false, isCloud: false };

test.each([
  [[A], SINGLE],
  [[`${A}/`], SINGLE],
  [[A, "replicated=true"], { ...SINGLE, isReplicated: true }],
  [["cloud=true", A], { ...SINGLE, isCloud: true }],
  [[A, B], { ...SINGLE, shards: [[A, B]], isReplicated: true }],
  [[`2=${C}`, `1=${A},${B}`], { ...SINGLE, shards: [[A, B], [C]], isReplicated: true }],
  [[`1=${A}`, `1=${B}`], { ...SINGLE, shards: [[A, B]], isReplicated: true }],
  [["http://me:p%40ss@a:8123"], { ...SINGLE, user: "me", password: "p@ss" }],
  [["http://:pw@a:8123"], { ...SINGLE, user: "default", password: "pw" }],
  [[A, "user=me", "database=perf"], { ...SINGLE, user: "me", database: "perf" }],
  [[A, B, "quorum=auto"], { ...SINGLE, shards: [[A, B]], isReplicated: true, quorum: "auto" }],
  [[A, B, "quorum=2"], { ...SINGLE, shards: [[A, B]], isReplicated: true, quorum: 2 }],
  [[A, "zookeeper-path=/x"], { ...SINGLE, zooKeeperPath: "/x" }],
  [[A, "ca-file=ca.pem"], { ...SINGLE, certificateAuthority: "-----BEGIN CERTIFICATE-----" }],
  [
    ["@cluster.json"],
    {
      shards: [[A, B], [C]],
      database: "perf",
      user: "writer",
      password: "from the file",
      isReplicated: true,
      isCloud: false,
      quorum: 1,
      zooKeeperPath: "/perf/1",
      certificateAuthority: "-----BEGIN CERTIFICATE-----",
    },
  ],
])("%j are valid cluster settings", (values, settings) => {
  expect(parse(values)).toEqual(settings);
});

test("user and password come from the addresses or the file, otherwise from the environment", () => {
  const environment = {
    TACHOGRAPH_CLICKHOUSE_USER: "env",
    TACHOGRAPH_CLICKHOUSE_PASSWORD: "of env",
  };
  expect(parse([A], environment)).toMatchObject({ user: "env", password: "of env" });
  expect(parse(["http://me:mine@a:8123"], environment)).toMatchObject({
    user: "me",
    password: "mine",
  });
  expect(parse(["@cluster.json"], environment)).toMatchObject({ password: "from the file" });
});

test.each([
  [[], "shards: expected an address in each, got none"],
  [["quorum=1"], "shards: expected an address in each, got none"],
  [["a:8123"], 'address: expected an address such as http://clickhouse-1:8123, got "a:8123"'],
  [["tcp://me:secret@a:9000"], 'got "…@a:9000"'],
  [["http://me:sec%ret@a:8123"], 'percent signs as %25, got "…@a:8123"'],
  [[`${A}?x=1`], 'without "?" and "#", got "http://a:8123?x=1"'],
  [[A, A], "addresses: expected each once, got http://a:8123 again"],
  [[A, `2=${B}`], "shards: expected a number before every address, or before none, got both"],
  [[`1=${A}`, `3=${B}`], "shards: expected the numbers 1 to 2, got 1, 3"],
  [[`1=${A}`, "2="], 'expected an address such as http://clickhouse-1:8123, got ""'],
  [["http://me:1@a:1", "http://me:2@b:1"], "addresses: expected the same password in all"],
  [[A, "colour=red"], "expected the number of a shard, or one of database, user, quorum"],
  [[A, "password=secret"], 'zookeeper-path, ca-file, got "password"'],
  [[A, "constructor=1"], 'got "constructor"'],
  [[A, "user=a", "user=b"], "user: expected it once, got it again"],
  [[A, "database=a.b"], "database: expected what matches"],
  [[A, "cloud=yes"], 'cloud: expected true or false, got "yes"'],
  [[A, B, "cloud=true", "replicated=false"], "cloud: expected one address, got 2"],
  [[A, "cloud=true", "replicated=true"], "cloud: expected replicated=false"],
  [[A, B, "replicated=false"], "replicated: expected true, for 2 addresses, got false"],
  [[A, B, "quorum=0"], 'quorum: expected a number of replicas, or auto, got "0"'],
  [[A, B, "quorum=3"], "quorum: expected at most the 2 replicas of a shard, got 3"],
  [[A, "quorum=1"], "quorum: expected none where nothing is replicated, got 1"],
  [[A, "zookeeper-path=x"], "zookeeper-path: expected what matches"],
  [["@cluster.json", A], "@cluster.json: expected no other value beside a file, got 2 values"],
  [["@no-json"], "no-json: expected JSON, got something else"],
  [["@list.json"], "list.json: expected an object, got a list"],
  [["@no-shards.json"], 'a list of lists of addresses as "shards", got undefined'],
  [["@flat-shards.json"], 'a list of lists of addresses as "shards", got object'],
  [["@strange.json"], 'got "passwort"'],
  [["@nested.json"], "nested.json: quorum: expected a text, got object"],
])("%j is refused: %s", (values, message) => {
  const refusal: unknown = expect.objectContaining({
    code: "bad-setting",
    message: expect.stringContaining(message),
  });
  expect(() => parse(values)).toThrow(refusal);
  expect(() => parse(values)).not.toThrow(/secret|sec%ret/);
});
