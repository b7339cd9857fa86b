/** A table that every server has; of rows with the same key, the largest version wins. */

import type { Cluster } from "../cluster/cluster.ts";
import { confirmCount, insertConfirmed } from "../write/confirm.ts";
import type { ManifestOptions } from "../read/source-manifest.ts";
import { integerLiteral, textLiteral } from "../cluster/literals.ts";
import type { NativeBlock } from "../native/native-block.ts";
import { KeyedMutex } from "../../../concurrency/mutex.ts";
import type { KeptTexts } from "../../store.ts";
import { NativeBlockWriter } from "../native/native-writer.ts";

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
