import { RequestCoalescer } from "../../../concurrency/request-coalescer.ts";
import { unknownLoadTest } from "../../../model/load-test.ts";
import type { Content } from "../../snapshot.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { textLiteral } from "../cluster/literals.ts";
import {
  attributesOf,
  CONTENT,
  contentField,
  type Fields,
  type ShardKey,
  type Standing,
  standingOf,
  type StoredLoadTest,
} from "./attributes.ts";
import { EverywhereTable } from "./everywhere-table.ts";
import { type Attribute, LOAD_TESTS } from "./tables.ts";

const MICROS_PER_MS = 1000;

/** Fields of rows that are announced, by the choice of their claim. */
const CLAIMED = "claimed:";

export class AttributeTable {
  readonly #table: EverywhereTable<Attribute>;
  readonly #nowMs: () => number;
  readonly #asked: RequestCoalescer<string, Standing>;

  constructor(cluster: Cluster, nowMs: () => number) {
    this.#table = new EverywhereTable(cluster, LOAD_TESTS);
    this.#nowMs = nowMs;
    // Ids come from users: any text is possible.
    this.#asked = new RequestCoalescer((ids) =>
      this.#read(`load_test_id IN (${ids.map(textLiteral).join(",")})`),
    );
  }

  /** Returns the state of an id, read after the call. */
  async standing(loadTestId: string): Promise<Standing> {
    return (await this.#asked.ask(loadTestId)) ?? standingOf([]);
  }

  /** Throws `unknown-load-test`. */
  async required(loadTestId: string): Promise<StoredLoadTest> {
    const { stored } = await this.standing(loadTestId);
    if (stored === undefined) throw unknownLoadTest(loadTestId);
    return stored;
  }

  /** Returns the states of all ids ever used. */
  all(): Promise<ReadonlyMap<string, Standing>> {
    return this.#read("1");
  }

  /** Returns the load tests that ever had this content; it may have been removed from them. */
  async idsOf(content: Content): Promise<readonly string[]> {
    const rows = await this.#table.read(`field = ${textLiteral(contentField(content))}`);
    return [...new Set(rows.map(({ loadTestId }) => loadTestId))];
  }

  /** Gives fields of a load test other values, later than those of `standing`. */
  set(shardKey: ShardKey, fields: Fields, standing: Pick<Standing, "lastVersion">) {
    return this.write(this.rowsOf(shardKey, fields, standing));
  }

  rowsOf(shardKey: ShardKey, fields: Fields, { lastVersion }: Pick<Standing, "lastVersion">) {
    return attributesOf(shardKey, fields, Math.max(lastVersion + 1, this.#nowMs() * MICROS_PER_MS));
  }

  /** Writing the same rows again changes nothing, whichever process does it. */
  write(rows: readonly Attribute[]): Promise<void> {
    return this.#table.write(rows);
  }

  /** Stores the rows that a process writes once it has won the claim `choice`. */
  announce(shardKey: ShardKey, choice: bigint, rows: readonly Attribute[]): Promise<void> {
    const announced = { [`${CLAIMED}${choice}`]: JSON.stringify(rows) };
    return this.set(shardKey, announced, { lastVersion: 0 });
  }

  /** Returns the announced rows; `undefined` if an earlier version of the program made the claim. */
  async announced(loadTestId: string, choice: bigint): Promise<readonly Attribute[] | undefined> {
    const [row] = await this.#table.read(
      `load_test_id = ${textLiteral(loadTestId)} AND field = ${textLiteral(`${CLAIMED}${choice}`)}`,
    );
    return row && (JSON.parse(row.value) as readonly Attribute[]);
  }

  async #read(condition: string): Promise<ReadonlyMap<string, Standing>> {
    const attributes = await this.#table.read(
      `${condition} AND NOT startsWith(field, '${CONTENT}') AND NOT startsWith(field, '${CLAIMED}')`,
    );
    const byId = Map.groupBy(attributes, ({ loadTestId }) => loadTestId);
    return new Map([...byId].map(([loadTestId, own]) => [loadTestId, standingOf(own)]));
  }
}
