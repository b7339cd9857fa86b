import { AUDIT_ENTRIES_MAX, type AuditEntry, type AuditLog } from "../../../src/store/store.ts";

export function openMemoryAudit(): AuditLog {
  const entries: AuditEntry[] = [];
  return {
    async add(entry) {
      entries.unshift({ ...entry, id: String(entries.length + 1) });
      entries.splice(AUDIT_ENTRIES_MAX);
    },
    async list({ project, target, after, limit }) {
      return entries
        .filter((each) => each.project === project && (target ?? each.target) === each.target)
        .filter(({ id }) => after === undefined || Number(id) < Number(after))
        .slice(0, limit);
    },
  };
}
