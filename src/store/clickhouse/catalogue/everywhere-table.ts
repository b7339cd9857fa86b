import type { Cluster } from "../cluster/cluster.ts";
import { confirmCount, insertConfirmed } from "../write/confirm.ts";
import type { ManifestOptions } from "../read/source-manifest.ts";
import { integerLiteral, textLiteral } from "../cluster/literals.ts";
import type { NativeBlock } from "../native/native-block.ts";
import { KeyedMutex } from "../../../concurrency/mutex.ts";
import type { AuditEntry, AuditLog, KeptTexts, NewAuditEntry } from "../../store.ts";
import { NativeBlockWriter } from "../native/native-writer.ts";
import { randomBytes } from "node:crypto";

/** Number of servers to read, so that a late one is noticed. */
const NODES_ASKED = 2;

export interface StoredVersion {
  /** Condition for the rows of its key, built from literals. */
  readonly isKey: string;
  readonly version: number;
  /** Number of rows with these keys. @default 1 */
  readonly count?: number;
}

export type Waiting = Pick<ManifestOptions, "clockMs" | "wait">;

/** A table that every server has; of rows with the same key, the largest version wins. */
export class EverywhereTable {
  readonly name: string;
  readonly #cluster: Cluster;
  readonly #table: string;
  readonly #waiting: Waiting;

  constructor(cluster: Cluster, table: string, waiting: Waiting) {
    this.#cluster = cluster;
    this.#table = table;
    this.#waiting = waiting;
    this.name = `${cluster.settings.database}.${table}`;
  }

  /** Rows of two servers, possibly duplicated. */
  async read(columns: string, condition: string): Promise<readonly NativeBlock[]> {
    const answers = await this.#cluster.everywhere.readEach(
      `SELECT ${columns} FROM ${this.name} FINAL WHERE ${condition}`,
      { preference: 0, most: NODES_ASKED },
    );
    return answers.flatMap(({ blocks }) => blocks);
  }

  /** Servers delete the rows asynchronously. */
  remove(condition: string): Promise<void> {
    const sql = `ALTER TABLE ${this.name} DELETE WHERE ${condition}`;
    return this.#cluster.everywhere.command(sql, { preference: 0 });
  }

  /** Stores rows, and waits briefly until readers find them without the first server. */
  async write(block: Uint8Array, rows: readonly StoredVersion[]): Promise<void> {
    const { everywhere, settings } = this.#cluster;
    const stored = rows.map(
      ({ isKey, version }) => `(${isKey} AND version >= ${integerLiteral(version)})`,
    );
    const sql = `SELECT count() AS a_rows FROM ${this.name} FINAL WHERE ${stored.join(" OR ")}`;
    const count = rows.reduce((sum, row) => sum + (row.count ?? 1), 0);
    const asked = { sql, rows: count, preference: 0, most: NODES_ASKED };
    await insertConfirmed(
      () => everywhere.insert(this.#table, block, { preference: 0 }),
      // With a quorum, the server has already done so.
      async () => settings.quorum !== undefined || confirmCount(everywhere, asked, this.#waiting),
    );
  }
}

/** Of two processes that change the thresholds of a name, the later one wins. */
export function openThresholds(
  cluster: Cluster,
  { nowMs, ...waiting }: Waiting & { readonly nowMs: () => number },
): KeptTexts {
  const changes = new KeyedMutex();
  const table = new EverywhereTable(cluster, "thresholds", waiting);
  const latest = async (name: string) => {
    const blocks = await table.read("version, value", `name = ${textLiteral(name)}`);
    let [version, text] = [0, ""];
    for (const block of blocks) {
      const [versions, values] = [block.numbers("version"), block.strings("value")];
      for (const [row, each] of versions.entries()) {
        if (each > version) [version, text] = [each, values[row] as string];
      }
    }
    return { version, text };
  };
  return {
    async find(name) {
      const { text } = await latest(name);
      return text === "" ? undefined : text;
    },
    keep: (name, text = "") =>
      changes.run(name, async () => {
        // Later than what it replaces, whichever clock that was written by.
        const version = Math.max(nowMs(), (await latest(name)).version + 1);
        const block = new NativeBlockWriter();
        block.texts("name").append([name]);
        block.unsigned64("version").append([version]);
        block.texts("value").append([text]);
        await table.write(block.finish(), [{ isKey: `name = ${textLiteral(name)}`, version }]);
      }),
  };
}

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
