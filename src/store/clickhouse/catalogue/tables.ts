/** Columns of the tables that every server has. */

import { integerLiteral, textLiteral, unsigned64Literal } from "../cluster/literals.ts";
import type { NativeBlockWriter } from "../native/native-writer.ts";
import { asBigint, type ColumnOf, asNumber, asText } from "../native/rows-in.ts";

interface ColumnKind<Value> {
  /** As spelled by the server. */
  readonly type: string;
  readonly read: (name: string) => ColumnOf<Value>;
  readonly append: (block: NativeBlockWriter, name: string, values: readonly Value[]) => void;
  readonly literal: (value: Value) => string;
}

const TEXT: ColumnKind<string> = {
  type: "String",
  read: asText,
  append: (block, name, values) => block.texts(name).append(values),
  literal: textLiteral,
};

const UNSIGNED_32: ColumnKind<number> = {
  type: "UInt32",
  read: asNumber,
  append: (block, name, values) => block.unsigned32(name).append(Uint32Array.from(values)),
  literal: (value) => `toUInt32(${integerLiteral(value)})`,
};

/** Up to 2^53 - 1. */
const UNSIGNED_64: ColumnKind<number> = {
  type: "UInt64",
  read: asNumber,
  append: (block, name, values) => block.unsigned64(name).append(values),
  literal: (value) => `toUInt64(${integerLiteral(value)})`,
};

/** 64 bits of a hash, or random ones. */
const BITS_64: ColumnKind<bigint> = {
  type: "UInt64",
  read: asBigint,
  append: (block, name, values) => {
    block.unsigned64(name).appendBigints(BigUint64Array.from(values));
  },
  literal: (value) => `toUInt64(${unsigned64Literal(value)})`,
};

/** Of rows with the same key, the one with the largest `version` counts. */
export interface TableColumns<Row extends { readonly version: number }> {
  readonly name: string;
  readonly key: readonly (keyof Row & string)[];
  readonly columns: { readonly [Member in keyof Row]: ColumnKind<Row[Member]> };
}

/** What describes such a table, whatever its rows. */
export interface EverywhereColumns {
  readonly name: string;
  readonly key: readonly string[];
  readonly columns: Readonly<Record<string, Pick<ColumnKind<never>, "type">>>;
}

type RowOf<Table> = Table extends TableColumns<infer Row> ? Row : never;

function table<Row extends { readonly version: number }>(
  name: string,
  key: TableColumns<Row>["key"],
  columns: TableColumns<Row>["columns"],
): TableColumns<Row> {
  return { name, key, columns };
}

export const LOAD_TESTS = table("load_tests", ["loadTestId", "incarnation", "field"], {
  loadTestId: TEXT,
  incarnation: UNSIGNED_32,
  field: TEXT,
  version: UNSIGNED_64,
  value: TEXT,
});

/** One field of a load test. */
export type Attribute = Readonly<RowOf<typeof LOAD_TESTS>>;

export const KEYS = table("keys", ["name", "field"], {
  name: TEXT,
  field: TEXT,
  version: UNSIGNED_64,
  value: TEXT,
});

/** By name of load tests; an empty value where they were removed. */
export const THRESHOLDS = table("thresholds", ["name"], {
  name: TEXT,
  version: UNSIGNED_64,
  value: TEXT,
});

export const CLAIMS = table("claims", ["subject", "claimant"], {
  subject: BITS_64,
  claimant: BITS_64,
  version: UNSIGNED_64,
  choice: BITS_64,
  claimedAtMs: UNSIGNED_64,
});

export type StoredClaim = Readonly<RowOf<typeof CLAIMS>>;

/** Ids begin with the time of the change; `version` is that time in milliseconds. */
export const AUDIT = table("audit", ["id"], {
  id: TEXT,
  version: UNSIGNED_64,
  project: TEXT,
  target: TEXT,
  value: TEXT,
});
