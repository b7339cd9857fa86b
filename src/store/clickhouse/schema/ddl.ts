/** DDL of the tables of one server: docs/internals/formats/clickhouse.md. */

import {
  AUDIT,
  CLAIMS,
  type EverywhereColumns,
  KEYS,
  LOAD_TESTS,
  THRESHOLDS,
} from "../catalogue/tables.ts";
import { POINT_NUMBERS, sqlName } from "./names.ts";

/** What differs between servers. */
export interface DdlTarget {
  readonly database: string;
  /** ZooKeeper path of the tables; `undefined` without replication. */
  readonly replication:
    | { readonly zooKeeperPath: string; readonly shardNumber: number; readonly replica: string }
    | undefined;
  readonly hasCodecs: boolean;
}

interface Column {
  readonly name: string;
  /** As spelled by the server. */
  readonly type: string;
  /** Compression codec. @default for repetitive values */
  readonly values?: "small" | "ascending";
  readonly value?: string;
  /** The version that added the column to existing tables. @default the first one */
  readonly since?: number;
}

export interface Table {
  readonly name: string;
  readonly columns: readonly Column[];
  /** Whether of two rows with one key the later replaces the earlier, and by which column if not by insertion. */
  readonly replacing: boolean;
  readonly versionColumn?: string;
  /** Where its rows are: on one shard, the same on all servers, or local. */
  readonly extent: "shard" | "everywhere" | "server";
  /** Clauses after the engine. */
  readonly order: string;
  /** Set if a later version appended a column to the sorting key. */
  readonly laterKey?: { readonly column: string; readonly key: string };
}

const CODECS = { small: "T64, ZSTD(1)", ascending: "Delta, ZSTD(1)" } as const;

const NUMBERS: readonly Column[] = POINT_NUMBERS.map((name) => ({
  name,
  type: "UInt64",
  values: "small",
  ...(name.startsWith("untimed") && { since: 2 }),
}));

/** Written out instead of Nested, which a server profile may store as one column. */
const DISTRIBUTION: readonly Column[] = [
  { name: "histogram.bucket", type: "Array(UInt16)" },
  { name: "histogram.requests", type: "Array(UInt64)" },
  { name: "failures.code", type: "Array(String)" },
  { name: "failures.message", type: "Array(String)" },
  { name: "failures.requests", type: "Array(UInt64)" },
];

/** Of points whose requests both passed and failed: see outcome-columns.ts. */
const OUTCOMES: readonly Column[] = [
  { name: "failed_histogram.bucket", type: "Array(UInt16)" },
  { name: "failed_histogram.requests", type: "Array(UInt64)" },
  { name: "outcome_micros", type: "Array(UInt64)" },
].map((column) => ({ ...column, since: 4 }));

const MEASUREMENTS_KEY =
  "(load_test_id, incarnation, kind, endpoint_hash, second, source, sequence, contents)";

const MEASUREMENTS: Table = {
  name: "measurements",
  extent: "shard",
  replacing: true,
  columns: [
    { name: "load_test_id", type: "String" },
    { name: "incarnation", type: "UInt32" },
    { name: "kind", type: "Enum8('source' = 0, 'batch' = 1, 'label' = 2, 'point' = 3)" },
    { name: "endpoint_hash", type: "FixedString(40)" },
    { name: "second", type: "UInt32", values: "ascending" },
    { name: "source", type: "UInt64" },
    { name: "sequence", type: "UInt64", values: "ascending" },
    { name: "test_day", type: "Date" },
    ...NUMBERS,
    { name: "window_seconds", type: "UInt16", values: "small" },
    { name: "role", type: "UInt8" },
    ...DISTRIBUTION,
    { name: "text", type: "String" },
    { name: "users", type: "String" },
    { name: "digest", type: "UInt64" },
    { name: "follows", type: "UInt64" },
    { name: "from_second", type: "UInt32", values: "small" },
    { name: "until_second", type: "UInt32", values: "small" },
    { name: "stored_at_ms", type: "UInt64", values: "ascending" },
    { name: "contents", type: "UInt32", since: 2 },
    { name: "writer", type: "UInt64", since: 2 },
    { name: "is_claimed", type: "UInt8", since: 2 },
    ...OUTCOMES,
  ],
  laterKey: { column: "contents", key: MEASUREMENTS_KEY },
  order:
    "PARTITION BY toYYYYMM(test_day) " +
    "PRIMARY KEY (load_test_id, incarnation, kind, endpoint_hash, second) " +
    `ORDER BY ${MEASUREMENTS_KEY} ` +
    "SETTINGS index_granularity = 8192",
};

/** A table on all servers; of two rows with one key, the larger version wins. */
function everywhere({ name, key, columns }: EverywhereColumns): Table {
  const names = key.map(sqlName).join(", ");
  return {
    name,
    extent: "everywhere",
    replacing: true,
    versionColumn: "version",
    columns: Object.entries(columns).map(([member, { type }]) => ({ name: sqlName(member), type })),
    order: `ORDER BY ${key.length === 1 ? names : `(${names})`} SETTINGS index_granularity = 256`,
  };
}

/** Its rows never change. */
const { versionColumn: _, ...AUDIT_TABLE } = everywhere(AUDIT);

const COMPACTED_POINTS: Table = {
  name: "sealed_points",
  extent: "shard",
  replacing: false,
  columns: [
    { name: "load_test_id", type: "String" },
    { name: "incarnation", type: "UInt32" },
    { name: "seal", type: "UInt64" },
    { name: "endpoint_hash", type: "FixedString(40)" },
    { name: "endpoint_number", type: "UInt64" },
    { name: "second", type: "UInt32", values: "ascending" },
    { name: "test_day", type: "Date" },
    ...NUMBERS,
    { name: "window_seconds", type: "UInt16", values: "small" },
    ...DISTRIBUTION,
    ...OUTCOMES,
  ],
  order:
    "PARTITION BY toYYYYMM(test_day) " +
    "ORDER BY (load_test_id, incarnation, seal, endpoint_hash, second) " +
    "SETTINGS index_granularity = 8192",
};

/** Version of a server's tables. Local, because servers are upgraded one by one. */
export const SCHEMA_VERSION: Table = {
  name: "schema_version",
  extent: "server",
  replacing: false,
  columns: [
    { name: "version", type: "UInt32" },
    { name: "applied_at", type: "DateTime", value: "now()" },
  ],
  order: "ORDER BY version",
};

/** All tables except that of the version. */
export const TABLES: readonly Table[] = [
  MEASUREMENTS,
  everywhere(LOAD_TESTS),
  everywhere(KEYS),
  everywhere(THRESHOLDS),
  COMPACTED_POINTS,
  everywhere(CLAIMS),
  AUDIT_TABLE,
];

export function replicationPath(
  { name, extent }: Table,
  { database, replication }: DdlTarget,
): string | undefined {
  if (replication === undefined || extent === "server") return undefined;
  const { zooKeeperPath, shardNumber } = replication;
  return `${zooKeeperPath}/${database}/${extent === "shard" ? shardNumber : "all"}/${name}`;
}

export function createTable(table: Table, target: DdlTarget): string {
  const columns = table.columns.map((column) => columnDdl(column, target));
  const name = `\`${target.database}\`.${table.name}`;
  return `CREATE TABLE IF NOT EXISTS ${name} (${columns.join(", ")}) ENGINE = ${engine(table, target)} ${table.order}`;
}

/** The statement that adds missing columns to a table of an earlier version; `undefined` if none is missing. */
export function addColumns(
  table: Table,
  target: DdlTarget,
  present: (column: string) => boolean,
): string | undefined {
  const missing = table.columns.filter(({ name, since }) => since !== undefined && !present(name));
  if (missing.length === 0) return undefined;
  const changes = missing.map((column) => `ADD COLUMN ${columnDdl(column, target)}`);
  const { laterKey } = table;
  // A column can join the sorting key only in the statement that adds it.
  if (missing.some(({ name }) => name === laterKey?.column)) {
    changes.push(`MODIFY ORDER BY ${laterKey?.key}`);
  }
  return `ALTER TABLE \`${target.database}\`.${table.name} ${changes.join(", ")}`;
}

function columnDdl(column: Column, { hasCodecs }: DdlTarget): string {
  const { name, type, values, value } = column;
  const codec = values === undefined ? "ZSTD(1)" : CODECS[values];
  return [
    `\`${name}\` ${type}`,
    ...(value === undefined ? [] : [`DEFAULT ${value}`]),
    ...(hasCodecs ? [`CODEC(${codec})`] : []),
  ].join(" ");
}

function engine(table: Table, target: DdlTarget): string {
  const path = replicationPath(table, target);
  const kind = `${path === undefined ? "" : "Replicated"}${table.replacing ? "Replacing" : ""}MergeTree`;
  const where = path === undefined ? [] : [`'${path}'`, `'${target.replication?.replica}'`];
  const version = table.versionColumn === undefined ? [] : [table.versionColumn];
  return `${kind}(${[...where, ...version].join(", ")})`;
}
