/** The catalogue of load tests in SQLite. */

import { beginLoadTest, changeLoadTest } from "../../model/change-load-test.ts";
import { isWanted } from "../../model/select-load-tests.ts";
import { unknownLoadTest } from "../../model/unknown-load-test.ts";
import { loadTestExists } from "../refusals.ts";
import type { LoadTestSummary } from "../../model/load-test.ts";
import type { LoadTests } from "../store.ts";
import type { SqliteFile } from "./file.ts";
import { Turns } from "./turns.ts";
import { columnsOf, loadTestOf, type LoadTestRow, summaryOf } from "./load-test-rows.ts";

export function openLoadTests(file: SqliteFile): LoadTests {
  const { writing, reading, queue } = file;
  const change = <Result>(id: string, run: (row: LoadTestRow) => Result): Promise<Result> =>
    queue.write(() => {
      const row = writing.loadTests.find(id);
      if (row === undefined) throw unknownLoadTest(id);
      return run(row);
    });
  function remove(row: LoadTestRow): void {
    writing.blocks.buryAll(row.number, writing.nextRevision(), file.now());
    writing.sources.removeAll(row.number);
    writing.loadTests.remove(row.number);
  }
  return {
    create: (loadTest) =>
      queue.write(() => {
        if (writing.loadTests.find(loadTest.id) !== undefined) throw loadTestExists(loadTest.id);
        writing.loadTests.add(beginLoadTest(loadTest), writing.nextRevision());
      }),
    async find(id) {
      const row = reading.loadTests.find(id);
      return row && summaryOf(row, reading.sources.formats(row.number));
    },
    async list(query = {}) {
      const found: LoadTestSummary[] = [];
      const { limit = Infinity, search, tag } = query;
      const isFiltered = search !== undefined || tag !== undefined;
      const turns = new Turns();
      for (const number of reading.loadTests.numbers(query.after, isFiltered ? Infinity : limit)) {
        if (found.length >= limit) break;
        const row = reading.loadTests.get(number);
        // It was deleted while others had their turn.
        if (row === undefined) continue;
        const summary = summaryOf(row, reading.sources.formats(row.number));
        if (isWanted(summary, query)) found.push(summary);
        // A short page is read in one go, so that it is as long as was asked for.
        if (isFiltered || limit === Infinity) await turns.pass();
      }
      return found;
    },
    update: (id, wish) =>
      change(id, (row) => {
        const columns = columnsOf(changeLoadTest(loadTestOf(row), wish));
        const changed = { ...row, ...columns, revision: writing.nextRevision() };
        writing.loadTests.save(changed);
        return summaryOf(changed, writing.sources.formats(row.number));
      }),
    delete: (id) => change(id, remove),
    deleteUnused: (id) =>
      queue.write(() => {
        const row = writing.loadTests.find(id);
        if (row !== undefined && !writing.sources.hasAny(row.number)) remove(row);
      }),
  };
}
