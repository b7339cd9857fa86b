import { AUDIT_ENTRIES_PER_KEY, type AuditEntry, type AuditLog } from "../../../src/store/store.ts";

export function openMemoryAudit(): AuditLog {
  const entries: AuditEntry[] = [];
  let count = 0;
  return {
    async add(entry) {
      entries.unshift({ ...entry, id: String(++count) });
      const { key, project } = entry;
      const own = entries.filter((each) => each.key === key && each.project === project);
      const oldest = own[AUDIT_ENTRIES_PER_KEY];
      if (oldest !== undefined) entries.splice(entries.indexOf(oldest), 1);
    },
    async list({ project, target, after, limit }) {
      return entries
        .filter((each) => each.project === project && (target ?? each.target) === each.target)
        .filter(
          ({ id }) =>
            after === undefined || Number(id) < (/^\d{1,15}$/.test(after) ? Number(after) : 0),
        )
        .slice(0, limit);
    },
  };
}
