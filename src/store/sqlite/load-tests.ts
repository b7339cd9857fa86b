/** The catalogue of load tests in SQLite. */

import { compareLabels } from "../../model/label.ts";
import { loadTestExists, unknownLoadTest } from "../refusals.ts";
import type { LoadTests } from "../store.ts";
import type { SqliteFile } from "./file.ts";
import { loadTestOf, type LoadTestRow, summaryOf } from "./load-test-rows.ts";

export function openLoadTests(file: SqliteFile): LoadTests {
  const { writing, reading, queue } = file;
  const change = (id: string, run: (row: LoadTestRow) => void) =>
    queue.write(() => {
      const row = writing.loadTests.find(id);
      if (row === undefined) throw unknownLoadTest(id);
      run(row);
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
        writing.loadTests.add(loadTest, writing.nextRevision());
      }),
    async find(id) {
      const row = reading.loadTests.find(id);
      return row && loadTestOf(row);
    },
    async list() {
      const summaries = reading.loadTests.list().map((row) => summaryOf(row));
      return summaries.toSorted(
        (left, right) => right.createdAtMs - left.createdAtMs || compareLabels(left.id, right.id),
      );
    },
    rename: (id, name) =>
      change(id, (row) => {
        writing.loadTests.save({ ...row, name, revision: writing.nextRevision() });
      }),
    delete: (id) => change(id, remove),
    deleteUnused: (id) =>
      queue.write(() => {
        const row = writing.loadTests.find(id);
        if (row !== undefined && !writing.sources.hasAny(row.number)) remove(row);
      }),
  };
}
