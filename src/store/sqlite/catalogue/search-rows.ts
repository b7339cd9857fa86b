import type { SQLInputValue } from "node:sqlite";
import type { LoadTestQuery } from "../../../model/load-test.ts";
import { searchCondition } from "../../search-sql.ts";
import type { SqliteFile } from "../file.ts";
import { translated } from "../file/sql-error.ts";

/** Rows that one statement searches: a few milliseconds. The first, with most pages of lists, are fewer. */
const [FIRST_ROWS, ROWS_AT_ONCE] = [512, 4096];

/** Yields, of numbers of load tests, those that may match a query, in their order. */
export function openSearch({ reader }: SqliteFile) {
  const database = translated(reader, {
    formats: () => reader.prepare("SELECT DISTINCT format FROM sources").all(),
    find: (sql: string, numbers: string, values: readonly SQLInputValue[]) =>
      reader.prepare(sql).all(numbers, ...values),
  });
  return function* search(
    query: LoadTestQuery,
    numbers: readonly number[],
  ): Generator<readonly number[]> {
    const values: SQLInputValue[] = [];
    // The first are the numbers.
    const parameter = (value: SQLInputValue): string => `?${values.push(value) + 1}`;
    const condition = searchCondition(query, {
      parameter,
      contains: (column, part) => `instr(lower(${column}), ${parameter(part)}) > 0`,
      figure: (index) => `json_extract(figures.text, '$[${index}]')`,
      formats: database.formats().map(({ format }) => String(format)),
    });
    const sql = `SELECT number FROM load_tests
      WHERE number IN (SELECT value FROM json_each(?1)) AND ${condition}`;
    for (let at = 0, rows = FIRST_ROWS; at < numbers.length; at += rows, rows = ROWS_AT_ONCE) {
      const some = numbers.slice(at, at + rows);
      const found = database.find(sql, JSON.stringify(some), values);
      const matching = new Set(found.map(({ number }) => number));
      yield some.filter((number) => matching.has(number));
    }
  };
}
