import { OVERALL_FIGURES, type StoredFigures, type StoreScope } from "../../store.ts";
import type { SqliteFile } from "../file.ts";
import { translated } from "../file/sql-error.ts";
import { IN_SCOPE, scopeValues } from "./load-test-rows.ts";

/** Parts of a load test whose figures are stored; the one written last replaces the oldest. */
const PARTS_MAX = 8;

interface FiguresRow {
  readonly id: string;
  readonly revision: number;
  readonly text: string;
}

/** Rows have the revision of their load test, so that they are never older than its data. */
export function openRunFigures(file: SqliteFile): (scope: StoreScope) => StoredFigures {
  const { reader, writer, reading, writing, queue, room, isReadOnly } = file;
  const current = reader.prepare(
    `SELECT id, load_tests.revision, text FROM load_tests
     JOIN figures ON load_test = load_tests.number AND figures.revision = load_tests.revision
       AND part = :part
     WHERE ${IN_SCOPE} AND id IN (SELECT value FROM json_each(:ids))`,
  );
  const find = translated(reader, {
    rows: (scope: StoreScope, ids: string, part: string) =>
      current.all({ ...scopeValues(scope), ids, part }) as unknown as FiguresRow[],
  });
  const replace = writer.prepare(
    "INSERT OR REPLACE INTO figures (load_test, part, revision, text) VALUES (?, ?, ?, ?)",
  );
  const forget = writer.prepare(
    `DELETE FROM figures WHERE number IN (
       SELECT number FROM figures WHERE load_test = ? AND part <> '${OVERALL_FIGURES}' ORDER BY number DESC LIMIT -1 OFFSET ${PARTS_MAX})`,
  );
  return (scope) => ({
    async find(loadTestIds, part) {
      const store = reading.storeState().id;
      const rows = find.rows(scope, JSON.stringify(loadTestIds), part);
      return new Map(
        rows.map(({ id, revision, text }) => [id, { revision: `${store}-${revision}`, text }]),
      );
    },
    async keep(loadTestId, part, { revision, text }) {
      if (isReadOnly || room.isReserveGone()) return;
      // Of itself: what environments measured is joined to it, and is not in the figures.
      const [own = ""] = revision.split("+");
      const number = Number(own.slice(own.lastIndexOf("-") + 1));
      await queue.write(() => {
        const row = writing.loadTests.find(scope, loadTestId);
        if (row?.revision !== number) return;
        replace.run(row.number, part, number, text);
        forget.run(row.number);
      });
    },
  });
}
