import { randomBytes } from "node:crypto";
import type { AuditLog, NewAuditEntry } from "../../store.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { textLiteral } from "../cluster/literals.ts";
import { EverywhereTable } from "./everywhere-table.ts";
import { AUDIT } from "./tables.ts";

/** Digits of a time, so that ids are ordered by it. */
const TIME_DIGITS = 15;

export function openAudit(cluster: Cluster): AuditLog {
  const table = new EverywhereTable(cluster, AUDIT);
  return {
    async add({ project = "", target = "", ...others }) {
      const version = others.atMs;
      const time = String(version).padStart(TIME_DIGITS, "0");
      const id = `${time}-${randomBytes(8).toString("hex")}`;
      await table.write([{ id, version, project, target, value: JSON.stringify(others) }]);
    },
    async list({ project = "", target, after, limit }) {
      const conditions = [
        `project = ${textLiteral(project)}`,
        ...(target === undefined ? [] : [`target = ${textLiteral(target)}`]),
        ...(after === undefined ? [] : [`id < ${textLiteral(after)}`]),
      ];
      const rows = await table.read(`${conditions.join(" AND ")} ORDER BY id DESC LIMIT ${limit}`);
      return rows
        .toSorted((left, right) => (left.id < right.id ? 1 : -1))
        .slice(0, limit)
        .map(({ id, value, ...row }) => {
          const { atMs, key, operation, outcome, details } = JSON.parse(value) as NewAuditEntry;
          const about = { project: row.project || undefined, target: row.target || undefined };
          return { id, atMs, key, operation, outcome, details, ...about };
        });
    },
  };
}
