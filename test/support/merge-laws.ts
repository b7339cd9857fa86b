import * as fc from "fast-check";
import { expect, test } from "vitest";

interface Merging<Row, Table> {
  readonly rows: fc.Arbitrary<Row[]>;
  readonly tableOf: (rows: Row[]) => Table;
  readonly merge: (tables: readonly Table[]) => Table;
}

/** Tests that the tables of parts merge to the table of all rows, in any order and in several steps. */
export function testMergeLaws<Row, Table>({ rows, tableOf, merge }: Merging<Row, Table>): void {
  test("merging equals taking all rows at once, however they were split", () => {
    fc.assert(
      fc.property(fc.array(rows, { maxLength: 4 }), (split) => {
        expect(merge(split.map((part) => tableOf(part)))).toEqual(tableOf(split.flat()));
      }),
    );
  });

  test("merging is commutative and associative", () => {
    fc.assert(
      fc.property(rows, rows, rows, (a, b, c) => {
        const [left, middle, right] = [tableOf(a), tableOf(b), tableOf(c)];
        const all = merge([left, middle, right]);
        expect(merge([right, left, middle])).toEqual(all);
        expect(merge([left, merge([middle, right])])).toEqual(all);
        expect(merge([merge([left, middle]), right])).toEqual(all);
      }),
    );
  });
}
