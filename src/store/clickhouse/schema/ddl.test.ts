import { expect, test } from "vitest";
import { createTable, type DdlTarget, SCHEMA_VERSION, type Table, TABLES } from "./ddl.ts";

const SINGLE: DdlTarget = { database: "perf", replication: undefined, hasCodecs: false };
const REPLICATED: DdlTarget = {
  ...SINGLE,
  replication: { zooKeeperPath: "/zoo", shardNumber: 2, replica: "b_8123" },
};

function table(name: string): Table {
  const found = [...TABLES, SCHEMA_VERSION].find((each) => each.name === name);
  if (found === undefined) throw new Error(`no table ${name}`);
  return found;
}

test.each([
  ["measurements", SINGLE, "ReplacingMergeTree()"],
  ["load_tests", SINGLE, "ReplacingMergeTree(version)"],
  ["sealed_points", SINGLE, "MergeTree()"],
  ["schema_version", SINGLE, "MergeTree()"],
  [
    "measurements",
    REPLICATED,
    "ReplicatedReplacingMergeTree('/zoo/perf/2/measurements', 'b_8123')",
  ],
  ["keys", REPLICATED, "ReplicatedReplacingMergeTree('/zoo/perf/all/keys', 'b_8123', version)"],
  ["sealed_points", REPLICATED, "ReplicatedMergeTree('/zoo/perf/2/sealed_points', 'b_8123')"],
  ["schema_version", REPLICATED, "MergeTree()"],
])("the engine of %s", (name, target, engine) => {
  expect(createTable(table(name), target)).toContain(`) ENGINE = ${engine} `);
});

test("the complete DDL of a table, for current servers", () => {
  expect(createTable(table("schema_version"), { ...SINGLE, hasCodecs: true })).toBe(
    "CREATE TABLE IF NOT EXISTS `perf`.schema_version " +
      "(`version` UInt32 CODEC(ZSTD(1)), `applied_at` DateTime DEFAULT now() CODEC(ZSTD(1))) " +
      "ENGINE = MergeTree() ORDER BY version",
  );
});

test("columns have codecs only on servers that support them", () => {
  const old = createTable(table("measurements"), SINGLE);
  expect(old).not.toContain("CODEC");
  const current = createTable(table("measurements"), { ...SINGLE, hasCodecs: true });
  expect(current).toContain("`second` UInt32 CODEC(Delta, ZSTD(1))");
  expect(current).toContain("`requests` UInt64 CODEC(T64, ZSTD(1))");
  expect(current.replaceAll(/ CODEC\(\w+, ZSTD\(1\)\)| CODEC\(ZSTD\(1\)\)/g, "")).toBe(old);
});

test("the sorting key of the measurements ends with source, sequence and contents", () => {
  expect(createTable(table("measurements"), SINGLE)).toMatch(
    /ORDER BY \(load_test_id, incarnation, kind, endpoint_hash, second, source, sequence, contents\)/,
  );
});
