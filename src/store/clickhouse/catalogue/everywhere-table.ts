/** A table that every server has; of rows with the same key, the largest version wins. */

import type { Cluster } from "../cluster/cluster.ts";
import { confirmCount, insertConfirmed } from "../write/confirm.ts";
import type { ManifestOptions } from "../read/source-manifest.ts";
import { integerLiteral } from "../cluster/literals.ts";
import type { NativeBlock } from "../native/native-block.ts";

/** Number of servers to read, so that a late one is noticed. */
const NODES_ASKED = 2;

/** A stored row. */
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
