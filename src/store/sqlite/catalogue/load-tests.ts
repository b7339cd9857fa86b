import type { SQLInputValue } from "node:sqlite";
import { Yielder } from "../../../concurrency/yielder.ts";
import { UserError } from "../../../model/errors.ts";
import {
  type ListPosition,
  type LoadTestQuery,
  type LoadTestSummary,
  beginLoadTest,
  changeLoadTest,
  isFiltered,
  isInUse,
  isWanted,
  unknownLoadTest,
} from "../../../model/load-test.ts";
import { loadTestExists } from "../../refusals.ts";
import { figureStatements, searchCondition, shortestList } from "../../search-sql.ts";
import type { LoadTests, StoreScope } from "../../store.ts";
import type { SqliteFile } from "../file.ts";
import { atOneInstant, translated } from "../file/sql-error.ts";
import { computedFigure, STARTED_AT_MS } from "../schema.ts";
import {
  FIRST_POSITION,
  IN_SCOPE,
  type LoadTestRow,
  columnsOf,
  environmentOf,
  loadTestOf,
  scopeValues,
  summaryOf,
} from "./load-test-rows.ts";

/** Rows per read: one or two milliseconds. */
const ROWS_AT_ONCE = 128;

export function openLoadTests(file: SqliteFile, scope: StoreScope): LoadTests {
  const { writing, reading, reader, queue, room } = file;
  const change = <Result>(id: string, run: (row: LoadTestRow) => Result): Promise<Result> =>
    queue.write(() => {
      const row = writing.loadTests.find(scope, id);
      if (row === undefined) throw unknownLoadTest(id);
      return run(row);
    });
  function remove(row: LoadTestRow): void {
    writing.loadTests.remove(row.number);
    const { project, environment } = scopeValues(scope);
    writing.texts.senderStates.keep(undefined, project, environment, row.id);
    writing.blocks.deleteAll(row.number, writing.nextRevision(), file.now());
    writing.endpoints.forget(row.number);
    writing.sources.removeAll(row.number);
    writing.measureSeries.removeAll(row.number);
  }
  /** Returns those of the load tests that still exist, read in one transaction. */
  function summaries(numbers: readonly number[]): LoadTestSummary[] {
    // Otherwise, each statement would start its own transaction.
    return atOneInstant(reader, () =>
      numbers.flatMap((number) => {
        const row = reading.loadTests.getListed(scope, number);
        return row === undefined ? [] : summaryOf(row, reading.sources.formats(row.number));
      }),
    );
  }
  const search = openSearch(file);
  return {
    create: (loadTest) =>
      queue.write(() => {
        const found = writing.loadTests.find(scope, loadTest.id);
        if (found !== undefined) throw loadTestExists(loadTest.id);
        const begun = beginLoadTest({ ...loadTest, ...environmentOf(scope) });
        writing.loadTests.add(scope, begun, writing.nextRevision());
      }),
    async find(id) {
      // Other processes may write between two statements.
      return atOneInstant(reader, () => {
        const row = reading.loadTests.find(scope, id);
        return row && summaryOf(row, reading.sources.formats(row.number));
      });
    },
    async list(query = {}) {
      const { limit = Infinity, after } = query;
      reading.loadTests.compareIndexes(scope);
      const isPart = isFiltered(query);
      // A page is read in one step, so that it has the requested length.
      const atOnce = isPart || limit === Infinity ? ROWS_AT_ONCE : limit;
      const found: LoadTestSummary[] = [];
      const yielder = new Yielder();
      const stretches = isPart
        ? search(scope, query)
        : [reading.loadTests.numbers(scope, after, limit)];
      for (const matching of stretches) {
        for (let at = 0; at < matching.length && found.length < limit; at += atOnce) {
          const some = summaries(matching.slice(at, at + atOnce));
          found.push(...some.filter((summary) => isWanted(summary, query)));
          await yielder.pass();
        }
        if (found.length >= limit) break;
        await yielder.pass();
      }
      return limit === Infinity ? found : found.slice(0, limit);
    },
    update: (id, request) =>
      change(id, (row) => {
        const columns = columnsOf(changeLoadTest(loadTestOf(row), request));
        const changed = { ...row, ...columns, revision: writing.nextRevision() };
        writing.loadTests.save(changed);
        const { number: loadTest, revision: before } = row;
        queue.note({ loadTest, before, after: changed.revision, isFirst: false });
        return summaryOf(changed, writing.sources.formats(row.number));
      }),
    delete(id) {
      room.makeRoom();
      return change(id, remove);
    },
    deleteIf(id, isDue) {
      room.makeRoom();
      return queue.write(() => {
        const row = writing.loadTests.find(scope, id);
        const found = row && summaryOf(row, writing.sources.formats(row.number));
        const isDeleted = found !== undefined && isDue(found);
        if (row !== undefined && isDeleted) remove(row);
        return isDeleted;
      });
    },
    deleteUnused: (id) =>
      queue.write(() => {
        const row = writing.loadTests.find(scope, id);
        if (row === undefined || isInUse(loadTestOf(row))) return;
        const hasData = writing.sources.hasAny(row.number) || writing.files.hasAny(row.number);
        if (!hasData) remove(row);
      }),
  };
}

/** Rows that one statement searches: a few milliseconds. The first, with most pages of lists, are fewer. */
const [FIRST_SEARCHED, NEXT_SEARCHED] = [512, 4096];

const AFTER = `${IN_SCOPE} AND ${STARTED_AT_MS} <= :started AND (${STARTED_AT_MS} < :started OR id > :id)`;
const UP_TO = `${STARTED_AT_MS} >= :last AND (${STARTED_AT_MS} > :last OR id <= :lastId)`;
const ORDER = `ORDER BY ${STARTED_AT_MS} DESC, id`;

/** The position at which a stretch of `:rows` rows after `:last` ends. */
const END = `SELECT ${STARTED_AT_MS} AS started, id FROM load_tests WHERE ${AFTER} ${ORDER} LIMIT 1 OFFSET :rows`;

type Values = Record<string, SQLInputValue>;

/** Yields, in the order of lists, numbers of load tests that may match a query, a stretch of the list at a time. */
function openSearch({ reader }: SqliteFile) {
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
      figure: computedFigure,
      formats: database.formats().map(({ format }) => String(format)),
    });
    let position: ListPosition | undefined = query.after ?? FIRST_POSITION;
    const statements = figureStatements(query, computedFigure);
    const listed = shortestList(statements.map((sql) => database.find(sql, {})));
    if (listed !== undefined) {
      const sql = `SELECT number FROM load_tests NOT INDEXED
        WHERE number IN (${listed.join()}) AND ${AFTER} AND ${condition} ${ORDER}`;
      const after = { started: position.startedAtMs, id: position.id };
      yield database.find(sql, { ...values, ...after }).map(({ number }) => Number(number));
      return;
    }
    for (let rows = FIRST_SEARCHED; position !== undefined; rows = NEXT_SEARCHED) {
      const after = { ...scopeValues(scope), started: position.startedAtMs, id: position.id };
      const end = database.end({ ...after, rows: rows - 1 });
      const last: Values = end === undefined ? {} : { last: end.startedAtMs, lastId: end.id };
      const within = end === undefined ? AFTER : `${AFTER} AND ${UP_TO}`;
      const sql = `SELECT number FROM load_tests WHERE ${within} AND ${condition} ${ORDER}`;
      yield database
        .find(sql, { ...values, ...after, ...last })
        .map(({ number }) => Number(number));
      if (end !== undefined && !isBehind(end, position)) {
        const why = "the index of runs by their start does not list them in order";
        throw new UserError("damaged-store", why);
      }
      position = end;
    }
  };
}

/** In the order of lists. */
function isBehind(one: ListPosition, other: ListPosition): boolean {
  if (one.startedAtMs !== other.startedAtMs) return one.startedAtMs < other.startedAtMs;
  return Buffer.compare(Buffer.from(one.id), Buffer.from(other.id)) > 0;
}
