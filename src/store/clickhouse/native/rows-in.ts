/** Reads rows of blocks as objects: a function per member reads its column. */

import type { NativeBlock } from "./native-block.ts";

/** Returns one value per row. */
export type ColumnOf<Value> = (block: NativeBlock) => ArrayLike<Value>;

export type ColumnsOf<Row> = { readonly [Member in keyof Row]-?: ColumnOf<Row[Member]> };

export function rowsIn<Row extends object>(
  blocks: readonly NativeBlock[],
  columns: ColumnsOf<Row>,
): Row[] {
  return blocks.flatMap((block) => {
    const members = Object.entries<ColumnOf<unknown>>(columns).map(
      ([member, column]) => [member, column(block)] as const,
    );
    return Array.from({ length: block.rows }, (_, index) => {
      const row: Record<string, unknown> = {};
      for (const [member, values] of members) row[member] = values[index];
      return row as Row;
    });
  });
}

export function asText(name: string): ColumnOf<string> {
  return (block) => block.strings(name);
}

export function asFixedText(name: string): ColumnOf<string> {
  return (block) => block.fixedStrings(name);
}

/** Up to 2^53 - 1. */
export function asNumber(name: string): ColumnOf<number> {
  return (block) => block.numbers(name);
}

/** UInt64 of any size. */
export function asBigint(name: string): ColumnOf<bigint> {
  return (block) => block.bigints(name);
}

/** UInt8: 1 is true. */
export function asFlag(name: string): ColumnOf<boolean> {
  return (block) => Array.from(block.numbers(name), (value) => value === 1);
}

/** Numbers of an Array column. */
export function asNumberLists(name: string): ColumnOf<readonly number[]> {
  return (block) => {
    const { from, values } = block.arrays(name);
    return Array.from({ length: block.rows }, (_, row) => [
      ...values.subarray(from[row], from[row + 1]),
    ]);
  };
}

/** JSON that this program wrote. */
export function asJson<Value>(name: string): ColumnOf<Value> {
  return (block) => block.strings(name).map((value) => JSON.parse(value) as Value);
}

/** Returns `a_rows` of a result that has at most one row; 0 without a row. */
export function countIn(blocks: readonly NativeBlock[]): number {
  return blocks.find(({ rows }) => rows > 0)?.numbers("a_rows")[0] ?? 0;
}
