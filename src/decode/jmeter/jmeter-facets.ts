import { BytesCache } from "../bytes/byte-table.ts";
import { type FacetedLabels, NO_FACETS } from "../labels/faceted-labels.ts";
import { COLUMN_NAMES, type FieldAt } from "./jmeter-fields.ts";
import { threadGroupOf } from "./thread-group.ts";

/** Default facets of JMeter and their columns. Without further settings, only distributed runs write a host. */
const USUAL: ReadonlyMap<string, string> = new Map([
  ["threadGroup", COLUMN_NAMES.threadName],
  ["hostname", COLUMN_NAMES.hostname],
]);

/** Stands for the label of the transaction around a sample of XML, which is no column. */
export const TRANSACTION = "(transaction)";

const utf8 = new TextDecoder();

/** Reads the facets of samples. */
export class JmeterFacets {
  readonly labels: FacetedLabels;
  /** By name the column, as CSV calls it. */
  readonly columns: readonly (readonly [name: string, column: string])[];
  readonly #groups = new BytesCache((bytes) => threadGroupOf(utf8.decode(bytes)));
  readonly #texts = new BytesCache((bytes) => utf8.decode(bytes));

  /** `isNested`: transactions are around their samples. */
  constructor(labels: FacetedLabels, { isNested = false } = {}) {
    const usual = new Map([...USUAL, ...(isNested ? [["transaction", TRANSACTION] as const] : [])]);
    this.labels = labels;
    this.columns = labels
      .namesOf([...usual.keys()])
      .map((name) => [name, usual.get(name) ?? name] as const);
  }

  /** Number of the facets of a sample; `valueAt` returns a column, if it is written. */
  setOf(valueAt: (column: string) => FieldAt | undefined): number {
    if (this.columns.length === 0) return NO_FACETS;
    return this.labels.setOf(
      this.columns.map(([name, column]) => {
        const at = valueAt(column);
        if (at === undefined) return [name, ""];
        const texts = name === "threadGroup" ? this.#groups : this.#texts;
        return [name, texts.at(at.bytes, at.from, at.to)];
      }),
    );
  }
}
