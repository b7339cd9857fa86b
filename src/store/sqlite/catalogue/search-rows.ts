import type { SQLInputValue } from "node:sqlite";
import type { ListPosition, LoadTestQuery } from "../../../model/load-test.ts";
import { searchCondition } from "../../search-sql.ts";
import type { StoreScope } from "../../store.ts";
import type { SqliteFile } from "../file.ts";
import { translated } from "../file/sql-error.ts";
import { STARTED_AT_MS } from "../schema.ts";
import { FIRST_POSITION, IN_SCOPE, scopeValues } from "./load-test-rows.ts";

/** Rows that one statement searches: a few milliseconds. The first, with most pages of lists, are fewer. */
const [FIRST_ROWS, ROWS_AT_ONCE] = [512, 4096];

const AFTER = `${IN_SCOPE} AND ${STARTED_AT_MS} <= :started AND (${STARTED_AT_MS} < :started OR id > :id)`;
const UP_TO = `${STARTED_AT_MS} >= :last AND (${STARTED_AT_MS} > :last OR id <= :lastId)`;
const ORDER = `ORDER BY ${STARTED_AT_MS} DESC, id`;

/** The position at which a stretch of `:rows` rows after `:last` ends. */
const END = `SELECT ${STARTED_AT_MS} AS started, id FROM load_tests WHERE ${AFTER} ${ORDER} LIMIT 1 OFFSET :rows`;

type Values = Record<string, SQLInputValue>;

/** Yields, in the order of lists, numbers of load tests that may match a query, a stretch of the list at a time. */
export function openSearch({ reader }: SqliteFile) {
  const database = translated(reader, {
    formats: () => reader.prepare("SELECT DISTINCT format FROM sources").all(),
    end: (values: Values): ListPosition | undefined => {
      const found = reader.prepare(END).get(values);
      return found && { startedAtMs: Number(found["started"]), id: String(found["id"]) };
    },
    find: (sql: string, values: Values) => reader.prepare(sql).all(values),
  });
  return function* search(scope: StoreScope, query: LoadTestQuery): Generator<readonly number[]> {
    const values: Values = scopeValues(scope);
    const parameter = (value: SQLInputValue): string => {
      const name = `v${Object.keys(values).length}`;
      values[name] = value;
      return `:${name}`;
    };
    const condition = searchCondition(query, {
      parameter,
      // Ignores the case of ASCII letters, and is four times as fast as `instr(lower())`.
      contains: (column, part) => `${column} LIKE ${parameter(`%${part}%`)}`,
      figure: (index) => `json_extract(figures.text, '$[${index}]')`,
      formats: database.formats().map(({ format }) => String(format)),
    });
    let position: ListPosition | undefined = query.after ?? FIRST_POSITION;
    for (let rows = FIRST_ROWS; position !== undefined; rows = ROWS_AT_ONCE) {
      const after = { ...scopeValues(scope), started: position.startedAtMs, id: position.id };
      const end = database.end({ ...after, rows: rows - 1 });
      const last: Values = end === undefined ? {} : { last: end.startedAtMs, lastId: end.id };
      const within = end === undefined ? AFTER : `${AFTER} AND ${UP_TO}`;
      const sql = `SELECT number FROM load_tests WHERE ${within} AND ${condition} ${ORDER}`;
      yield database
        .find(sql, { ...values, ...after, ...last })
        .map(({ number }) => Number(number));
      position = end;
    }
  };
}
