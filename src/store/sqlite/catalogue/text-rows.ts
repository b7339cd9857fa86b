import type { DatabaseSync } from "node:sqlite";
import { translated } from "../file/sql-error.ts";

/** Opens the tables of texts on one connection; `keep` requires a write transaction. Keys are the columns before the text. */
export function openTextRows(database: DatabaseSync) {
  const open = (table: string, ...columns: readonly string[]) => {
    const isThis = columns.map((column) => `${column} = ?`).join(" AND ");
    const places = columns.map(() => "?").join();
    const find = database.prepare(`SELECT text FROM ${table} WHERE ${isThis}`);
    const remove = database.prepare(`DELETE FROM ${table} WHERE ${isThis}`);
    const replace = database.prepare(`INSERT OR REPLACE INTO ${table} VALUES (${places}, ?)`);
    return translated(database, {
      find: (...key: string[]) => find.get(...key)?.["text"] as string | undefined,
      /** `undefined` removes it. */
      keep(text: string | undefined, ...key: string[]): void {
        if (text === undefined) remove.run(...key);
        else replace.run(...key, text);
      },
    });
  };
  return {
    thresholds: open("thresholds", "project", "name"),
    senderStates: open("sender_states", "project", "environment", "load_test_id"),
    judgeNotes: open("judge_notes", "project"),
  };
}
