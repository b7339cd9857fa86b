import { randomBytes } from "node:crypto";
import type { AuditEntry, AuditLog, NewAuditEntry } from "../../store.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { textLiteral } from "../cluster/literals.ts";
import { NativeBlockWriter } from "../native/native-writer.ts";
import { EverywhereTable, type Waiting } from "./everywhere-table.ts";

/** Digits of a time, so that ids are ordered by it. */
const TIME_DIGITS = 15;

export function openAudit(cluster: Cluster, waiting: Waiting): AuditLog {
  const table = new EverywhereTable(cluster, "audit", waiting);
  return {
    async add({ project = "", target = "", ...others }) {
      const version = others.atMs;
      const time = String(version).padStart(TIME_DIGITS, "0");
      const id = `${time}-${randomBytes(8).toString("hex")}`;
      const block = new NativeBlockWriter();
      block.texts("id").append([id]);
      block.unsigned64("version").append([version]);
      block.texts("project").append([project]);
      block.texts("target").append([target]);
      block.texts("value").append([JSON.stringify(others)]);
      await table.write(block.finish(), [{ isKey: `id = ${textLiteral(id)}`, version }]);
    },
    async list({ project = "", target, after, limit }) {
      const conditions = [
        `project = ${textLiteral(project)}`,
        ...(target === undefined ? [] : [`target = ${textLiteral(target)}`]),
        ...(after === undefined ? [] : [`id < ${textLiteral(after)}`]),
      ];
      const condition = `${conditions.join(" AND ")} ORDER BY id DESC LIMIT ${limit}`;
      const blocks = await table.read("id, project, target, value", condition);
      const entries = blocks.flatMap((block) => {
        const [ids, projects] = [block.strings("id"), block.strings("project")];
        const [targets, values] = [block.strings("target"), block.strings("value")];
        return ids.map((id, row): AuditEntry => {
          const value = JSON.parse(values[row] as string) as NewAuditEntry;
          const { atMs, key, operation, outcome, details } = value;
          const [of, about] = [projects[row] || undefined, targets[row] || undefined];
          return { id, atMs, project: of, key, operation, target: about, outcome, details };
        });
      });
      const distinct = [...new Map(entries.map((entry) => [entry.id, entry])).values()];
      return distinct.toSorted((left, right) => (left.id < right.id ? 1 : -1)).slice(0, limit);
    },
  };
}
