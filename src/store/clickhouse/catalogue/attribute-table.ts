/** Reads and writes the table `load_tests`, which every node has. */

import { RequestCoalescer } from "../../../concurrency/request-coalescer.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { EverywhereTable, type Waiting } from "./everywhere-table.ts";
import { CONTENT, contentField, type Attribute, type Standing, standingOf } from "./attributes.ts";
import { integerLiteral, textLiteral } from "../cluster/literals.ts";
import type { NativeBlock } from "../native/native-block.ts";
import { NativeBlockWriter } from "../native/native-writer.ts";
import type { Content } from "../../snapshot.ts";

const MICROS_PER_MS = 1000;

export class AttributeTable {
  readonly #table: EverywhereTable;
  readonly #nowMs: () => number;
  readonly #asked: RequestCoalescer<string, Standing>;

  constructor(cluster: Cluster, { nowMs, ...waiting }: Waiting & { readonly nowMs: () => number }) {
    this.#table = new EverywhereTable(cluster, "load_tests", waiting);
    this.#nowMs = nowMs;
    this.#asked = new RequestCoalescer((ids) => this.#read(`load_test_id IN (${listOf(ids)})`));
  }

  /** Returns the state of an id, read after the call. */
  async standing(loadTestId: string): Promise<Standing> {
    return (await this.#asked.ask(loadTestId)) ?? standingOf([]);
  }

  /** Returns the states of all ids ever used. */
  all(): Promise<ReadonlyMap<string, Standing>> {
    return this.#read("1");
  }

  /** Returns the load tests that ever had this content; it may have been removed from them. */
  async idsOf(content: Content): Promise<readonly string[]> {
    const isContent = `field = ${textLiteral(contentField(content))}`;
    const blocks = await this.#table.read("load_test_id", isContent);
    return [...new Set(blocks.flatMap((block) => block.strings("load_test_id")))];
  }

  /** Returns the version for a change of a state with `lastVersion`. */
  nextVersion({ lastVersion }: Standing): number {
    return Math.max(lastVersion + 1, this.#nowMs() * MICROS_PER_MS);
  }

  async write(attributes: readonly Attribute[]): Promise<void> {
    if (attributes.length === 0) return;
    const block = new NativeBlockWriter();
    block.texts("load_test_id").append(attributes.map(({ loadTestId }) => loadTestId));
    block
      .unsigned32("incarnation")
      .append(Uint32Array.from(attributes, (attribute) => attribute.incarnation));
    block.texts("field").append(attributes.map(({ field }) => field));
    block.unsigned64("version").append(attributes.map(({ version }) => version));
    block.texts("value").append(attributes.map(({ value }) => value));
    const rows = attributes.map((attribute) => ({
      isKey: keyCondition(attribute),
      version: attribute.version,
    }));
    await this.#table.write(block.finish(), rows);
  }

  async #read(condition: string): Promise<ReadonlyMap<string, Standing>> {
    const columns = "load_test_id, field, value, incarnation, version";
    const isSaid = `${condition} AND NOT startsWith(field, '${CONTENT}')`;
    const attributes = (await this.#table.read(columns, isSaid)).flatMap(attributesIn);
    const byId = Map.groupBy(attributes, ({ loadTestId }) => loadTestId);
    return new Map([...byId].map(([loadTestId, own]) => [loadTestId, standingOf(own)]));
  }
}

/** Ids come from users: any text is possible. */
function listOf(ids: readonly string[]): string {
  return ids.map((id) => textLiteral(id)).join(",");
}

function keyCondition({ loadTestId, incarnation, field }: Attribute): string {
  return (
    `load_test_id = ${textLiteral(loadTestId)} AND incarnation = ${integerLiteral(incarnation)} ` +
    `AND field = ${textLiteral(field)}`
  );
}

function attributesIn(block: NativeBlock): Attribute[] {
  const [ids, fields] = [block.strings("load_test_id"), block.strings("field")];
  const values = block.strings("value");
  const [incarnations, versions] = [block.numbers("incarnation"), block.numbers("version")];
  return ids.map((loadTestId, row) => ({
    loadTestId,
    incarnation: incarnations[row] as number,
    field: fields[row] as string,
    version: versions[row] as number,
    value: values[row] as string,
  }));
}
