/** Reading and writing the table `load_tests`, which every node has. */

import { RequestCoalescer } from "../../../concurrency/request-coalescer.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { EverywhereTable, type Waiting } from "./everywhere-table.ts";
import { CONTENT, contentField, type Fact, type Standing, standingOf } from "./facts.ts";
import { integerLiteral, textLiteral } from "../cluster/literals.ts";
import type { NativeBlock } from "../native/native-block.ts";
import { NativeBlockWriter } from "../native/native-writer.ts";
import type { Content } from "../../snapshot.ts";

const MICROS_PER_MS = 1000;

export class FactTable {
  readonly #table: EverywhereTable;
  readonly #nowMs: () => number;
  readonly #asked: RequestCoalescer<string, Standing>;

  constructor(cluster: Cluster, { nowMs, ...waiting }: Waiting & { readonly nowMs: () => number }) {
    this.#table = new EverywhereTable(cluster, "load_tests", waiting);
    this.#nowMs = nowMs;
    this.#asked = new RequestCoalescer((ids) => this.#read(`load_test_id IN (${listOf(ids)})`));
  }

  /** What is known of an id, read after this was called. */
  async standing(loadTestId: string): Promise<Standing> {
    return (await this.#asked.ask(loadTestId)) ?? standingOf([]);
  }

  /** What is known of every id that ever was. */
  all(): Promise<ReadonlyMap<string, Standing>> {
    return this.#read("1");
  }

  /** The load tests that were given this content; it may be gone from them. */
  async idsOf(content: Content): Promise<readonly string[]> {
    const isContent = `field = ${textLiteral(contentField(content))}`;
    const blocks = await this.#table.read("load_test_id", isContent);
    return [...new Set(blocks.flatMap((block) => block.strings("load_test_id")))];
  }

  /** The version of a change to what has `lastVersion`. */
  nextVersion({ lastVersion }: Standing): number {
    return Math.max(lastVersion + 1, this.#nowMs() * MICROS_PER_MS);
  }

  async write(facts: readonly Fact[]): Promise<void> {
    if (facts.length === 0) return;
    const block = new NativeBlockWriter();
    block.texts("load_test_id").append(facts.map(({ loadTestId }) => loadTestId));
    block.unsigned32("incarnation").append(Uint32Array.from(facts, (fact) => fact.incarnation));
    block.texts("field").append(facts.map(({ field }) => field));
    block.unsigned64("version").append(facts.map(({ version }) => version));
    block.texts("value").append(facts.map(({ value }) => value));
    const rows = facts.map((fact) => ({ isKey: keyCondition(fact), version: fact.version }));
    await this.#table.write(block.finish(), rows);
  }

  async #read(condition: string): Promise<ReadonlyMap<string, Standing>> {
    const columns = "load_test_id, field, value, incarnation, version";
    const isSaid = `${condition} AND NOT startsWith(field, '${CONTENT}')`;
    const facts = (await this.#table.read(columns, isSaid)).flatMap(factsIn);
    const byId = Map.groupBy(facts, ({ loadTestId }) => loadTestId);
    return new Map([...byId].map(([loadTestId, own]) => [loadTestId, standingOf(own)]));
  }
}

/** Ids as they come from outside: any text may be asked for. */
function listOf(ids: readonly string[]): string {
  return ids.map((id) => textLiteral(id)).join(",");
}

function keyCondition({ loadTestId, incarnation, field }: Fact): string {
  return (
    `load_test_id = ${textLiteral(loadTestId)} AND incarnation = ${integerLiteral(incarnation)} ` +
    `AND field = ${textLiteral(field)}`
  );
}

function factsIn(block: NativeBlock): Fact[] {
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
