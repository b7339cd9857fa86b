import type { StoredFigures } from "../../store.ts";
import type { SqliteFile } from "../file.ts";
import { translated } from "../file/sql-error.ts";

/** Parts of a load test whose figures are stored; the one written last replaces the oldest. */
const PARTS_MAX = 8;

interface FiguresRow {
  readonly id: string;
  readonly revision: number;
  readonly text: string;
}

/** Rows have the revision of their load test, so that they are never older than its data. */
export function openRunFigures(file: SqliteFile): StoredFigures {
  const { reader, writer, reading, queue, room, isReadOnly } = file;
  const current = reader.prepare(
    `SELECT load_tests.id, load_tests.revision, text FROM json_each(?) AS asked
     JOIN load_tests ON load_tests.id = asked.value
     JOIN figures ON figures.load_test = load_tests.number
       AND figures.revision = load_tests.revision AND part = ?`,
  );
  const find = translated(reader, {
    rows: (ids: string, part: string) => current.all(ids, part) as unknown as FiguresRow[],
  });
  const replace = writer.prepare(
    `INSERT OR REPLACE INTO figures (load_test, part, revision, text)
     SELECT number, ?, revision, ? FROM load_tests WHERE id = ? AND revision = ?`,
  );
  const forget = writer.prepare(
    `DELETE FROM figures WHERE number IN (
       SELECT number FROM figures
       WHERE load_test = (SELECT number FROM load_tests WHERE id = ?)
       ORDER BY number DESC LIMIT -1 OFFSET ${PARTS_MAX})`,
  );
  return {
    async find(loadTestIds, part) {
      const store = reading.storeState().id;
      const rows = find.rows(JSON.stringify(loadTestIds), part);
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
        replace.run(part, text, loadTestId, number);
        forget.run(loadTestId);
      });
    },
  };
}
