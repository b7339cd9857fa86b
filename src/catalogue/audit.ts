import type { AuditJson } from "../api/audit.ts";
import { UserError } from "../model/errors.ts";
import type { AuditLog, AuditQuery, NewAuditEntry } from "../store/store.ts";

/** Returns a page, latest first. */
export type ReadAudit = (query: Omit<AuditQuery, "project">) => Promise<AuditJson>;

export function openAuditReader(
  audit: Pick<AuditLog, "list">,
  project: string | undefined,
): ReadAudit {
  return async (query) => {
    // One more than requested shows whether there is a next page.
    const found = await audit.list({ ...query, project, limit: query.limit + 1 });
    const page = found.slice(0, query.limit);
    const entries = page.map(({ atMs, key, operation, target, outcome, details }) => ({
      at: new Date(atMs).toISOString(),
      key: key ?? null,
      operation,
      target: target ?? null,
      outcome,
      details: details ?? null,
    }));
    return { entries, next: found.length > page.length ? (page.at(-1)?.id ?? null) : null };
  };
}

/** Adds an entry to the audit log. Never rejects: the change stays if that fails. */
export type RecordChange = (entry: ChangeEntry) => Promise<void>;

type ChangeEntry = Omit<NewAuditEntry, "atMs">;

export type ChangeLog = Pick<AuditLog, "add">;

export function createChangeRecorder(
  log: ChangeLog,
  effects: {
    /** Milliseconds since the epoch. */
    readonly now: () => number;
    readonly failed: (entry: ChangeEntry, error: unknown) => void;
  },
): RecordChange {
  return async (entry) => {
    try {
      await log.add({ ...entry, atMs: effects.now() });
    } catch (error) {
      // Nothing changes in such a store.
      if (error instanceof UserError && error.code === "store-read-only") return;
      effects.failed(entry, error);
    }
  };
}
