import type { Cluster } from "../cluster/cluster.ts";
import { confirmCount, insertConfirmed } from "../write/confirm.ts";
import { integerLiteral } from "../cluster/literals.ts";
import { NativeBlockWriter } from "../native/native-writer.ts";
import { type ColumnOf, type ColumnsOf, rowsIn } from "../native/rows-in.ts";
import { sqlName } from "../schema/names.ts";
import type { TableColumns } from "./tables.ts";

/** Number of servers to read, so that a late one is noticed. */
const NODES_ASKED = 2;

export class EverywhereTable<Row extends { readonly version: number }> {
  readonly name: string;
  readonly #cluster: Cluster;
  readonly #table: TableColumns<Row>;

  constructor(cluster: Cluster, table: TableColumns<Row>) {
    this.#cluster = cluster;
    this.#table = table;
    this.name = `${cluster.settings.database}.${table.name}`;
  }

  /** Returns the rows that count, from two servers; `condition` may end with an order and a limit. */
  async read(condition: string): Promise<readonly Row[]> {
    const members = this.#members();
    const answers = await this.#cluster.everywhere.readEach(
      `SELECT ${members.map(sqlName).join(", ")} FROM ${this.name} FINAL WHERE ${condition}`,
      { preference: 0, most: NODES_ASKED },
    );
    const columns = members.map((member): [string, ColumnOf<unknown>] => [
      member,
      this.#table.columns[member].read(sqlName(member)),
    ]);
    const rows = rowsIn<Row>(
      answers.flatMap(({ blocks }) => blocks),
      Object.fromEntries(columns) as ColumnsOf<Row>,
    );
    const newest = new Map<string, Row>();
    for (const row of rows) {
      const key = this.#keyOf(row);
      if (row.version >= (newest.get(key)?.version ?? 0)) newest.set(key, row);
    }
    return [...newest.values()];
  }

  /** Servers delete the rows asynchronously. */
  remove(condition: string): Promise<void> {
    const sql = `ALTER TABLE ${this.name} DELETE WHERE ${condition}`;
    return this.#cluster.everywhere.command(sql, { preference: 0 });
  }

  /** Stores rows with distinct keys, and waits briefly until readers find them without the first server. */
  async write(rows: readonly Row[]): Promise<void> {
    if (rows.length === 0) return;
    const { everywhere } = this.#cluster;
    const { name, key, columns } = this.#table;
    const block = new NativeBlockWriter();
    for (const member of this.#members()) {
      columns[member].append(
        block,
        sqlName(member),
        rows.map((row) => row[member]),
      );
    }
    const stored = Array.from(
      Map.groupBy(rows, ({ version }) => version),
      ([version, own]) => {
        const keys = own.map((row) => this.#keyOf(row)).join(",");
        return `((${key.map(sqlName).join(", ")}) IN (${keys}) AND version >= ${integerLiteral(version)})`;
      },
    );
    const sql = `SELECT count() AS a_rows FROM ${this.name} FINAL WHERE ${stored.join(" OR ")}`;
    const asked = { sql, rows: rows.length, preference: 0, most: NODES_ASKED };
    await insertConfirmed(
      () => everywhere.insert(name, block.finish(), { preference: 0 }),
      () => confirmCount(everywhere, asked),
    );
  }

  #members(): readonly (keyof Row & string)[] {
    return Object.keys(this.#table.columns) as (keyof Row & string)[];
  }

  #keyOf(row: Row): string {
    const { key, columns } = this.#table;
    return `(${key.map((member) => columns[member].literal(row[member])).join(", ")})`;
  }
}
