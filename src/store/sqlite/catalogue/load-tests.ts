import {
  beginLoadTest,
  changeLoadTest,
  type LoadTestSummary,
  isFiltered,
  isWanted,
  unknownLoadTest,
} from "../../../model/load-test.ts";
import { loadTestExists } from "../../refusals.ts";
import type { LoadTests, StoreScope } from "../../store.ts";
import type { SqliteFile } from "../file.ts";
import { Yielder } from "../../../concurrency/yielder.ts";
import {
  columnsOf,
  environmentOf,
  loadTestOf,
  type LoadTestRow,
  scopeValues,
  summaryOf,
} from "./load-test-rows.ts";
import { openSearch } from "./search-rows.ts";
import { atOneInstant } from "../file/sql-error.ts";

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
    writing.sources.removeAll(row.number);
    writing.measureSeries.removeAll(row.number);
  }
  /** Returns those of the load tests that still exist, read in one transaction. */
  function summaries(numbers: readonly number[]): LoadTestSummary[] {
    // Otherwise, each statement would start its own transaction.
    return atOneInstant(reader, () =>
      numbers.flatMap((number) => {
        const row = reading.loadTests.get(number);
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
        return summaryOf(changed, writing.sources.formats(row.number));
      }),
    delete(id) {
      room.makeRoom();
      return change(id, remove);
    },
    deleteUnused: (id) =>
      queue.write(() => {
        const row = writing.loadTests.find(scope, id);
        if (row !== undefined && !writing.sources.hasAny(row.number)) remove(row);
      }),
  };
}
