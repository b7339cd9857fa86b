import {
  AUDIT_ENTRIES_PER_KEY,
  type AuditEntry,
  type AuditLog,
  type AuditQuery,
} from "../../store.ts";
import type { SqliteFile } from "../file.ts";
import { translated } from "../file/sql-error.ts";

export interface AuditRow {
  readonly number: number;
  readonly at_ms: number;
  readonly project: string | null;
  readonly key_name: string | null;
  readonly operation: string;
  readonly target: string | null;
  readonly outcome: string;
  readonly details: string | null;
}

export function openAudit({ reader, writer, queue }: SqliteFile): AuditLog {
  const page = reader.prepare(
    `SELECT * FROM audit WHERE project IS ? AND coalesce(target = ?, ?) AND number < ?
     ORDER BY number DESC LIMIT ?`,
  );
  const reading = translated(reader, {
    list: ({ project, target, after, limit }: AuditQuery) => {
      const isAny = target === undefined ? 1 : 0;
      return page.all(project ?? null, target ?? null, isAny, numberOf(after), limit);
    },
  });
  const insert = writer.prepare(
    `INSERT INTO audit (at_ms, project, key_name, operation, target, outcome, details)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  const forget = writer.prepare(
    `DELETE FROM audit WHERE number = (
       SELECT number FROM audit WHERE key_name IS ? AND project IS ?
       ORDER BY number DESC LIMIT 1 OFFSET ${AUDIT_ENTRIES_PER_KEY})`,
  );
  return {
    add: ({ atMs, project, key, operation, target, outcome, details }) =>
      queue.write(() => {
        const texts = [operation, target ?? null, outcome, details ?? null];
        insert.run(atMs, project ?? null, key ?? null, ...texts);
        forget.run(key ?? null, project ?? null);
      }),
    list: async (query) => (reading.list(query) as unknown as AuditRow[]).map(entryOf),
  };
}

/** Entries with a lower number than this follow the cursor `id`: 0 for an invalid cursor, no limit without one. */
export function numberOf(id: string | undefined): number {
  const number = id === undefined ? Number.MAX_SAFE_INTEGER : Number(id);
  return Number.isSafeInteger(number) ? number : 0;
}

export function entryOf({ number, at_ms: atMs, ...row }: AuditRow): AuditEntry {
  const { operation, outcome } = row;
  return {
    id: String(number),
    atMs,
    project: row.project ?? undefined,
    key: row.key_name ?? undefined,
    operation,
    target: row.target ?? undefined,
    outcome,
    details: row.details ?? undefined,
  };
}
