import { LabelTemplate } from "../labels/label-template.ts";
import { XmlAttributes, addAttribute } from "../xml/xml-text.ts";
import { BytesCache } from "../bytes/byte-table.ts";
import { type FacetedLabels, NO_FACETS } from "../labels/faceted-labels.ts";
import { COLUMN_NAMES, type FieldAt } from "./jmeter-fields.ts";

const THREAD_NAME = "threadName";
const THREAD_GROUP = "threadGroup";
const NOTHING = new Uint8Array(0);

const encoder = new TextEncoder();

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** XML attributes by their CSV names. */
const ATTRIBUTES = {
  label: "lb",
  threadName: "tn",
  responseCode: "rc",
  responseMessage: "rm",
  success: "s",
  dataType: "dt",
  Hostname: "hn",
} as const;

const NAMES = Object.keys(ATTRIBUTES);

const FIELD_OF_ATTRIBUTE: ReadonlyMap<string, number> = new Map(
  Object.values(ATTRIBUTES).map((attribute, field) => [attribute, field]),
);

const latin1 = new TextDecoder("latin1");

function labelFieldsOf(names: readonly string[]): readonly string[] {
  return names.includes(THREAD_NAME) ? [...names, THREAD_GROUP] : names;
}

/** Labels by template from columns and from `threadGroup`; threads of other names are their own. */
export class JmeterLabel {
  readonly #template: LabelTemplate;
  readonly #threadName: number;
  readonly #group: number;

  /** Throws `bad-parameter` for unknown fields. */
  constructor(template: string, names: readonly string[]) {
    this.#template = new LabelTemplate(template, labelFieldsOf(names));
    this.#threadName = names.indexOf(THREAD_NAME);
    this.#group = this.#threadName < 0 ? -1 : names.length;
  }

  uses(column: number): boolean {
    const isGroup = column === this.#threadName && this.#template.uses(this.#group);
    return isGroup || this.#template.uses(column);
  }

  /** Valid until the next call; `contentsOf` returns a field by its index in `names`. */
  labelOf(contentsOf: (field: number) => Uint8Array | undefined): Uint8Array {
    return this.#template.labelOf((field) => {
      if (field !== this.#group) return contentsOf(field) ?? NOTHING;
      const threadName = utf8.decode(contentsOf(this.#threadName));
      return encoder.encode(threadGroupOf(threadName) || threadName);
    });
  }
}

export class JmeterXmlLabel {
  readonly #label: JmeterLabel;
  readonly #attributes = new XmlAttributes();

  /** Throws `bad-parameter` for unknown fields. */
  constructor(template: string) {
    this.#label = new JmeterLabel(template, NAMES);
  }

  /** Label of the tag at `[from, to)`; valid until the next call. */
  ofTag(bytes: Uint8Array, from: number, to: number): Uint8Array {
    const values = new Map<number, Uint8Array>();
    const attributes = this.#attributes;
    attributes.begin(bytes, from, to);
    while (attributes.next()) {
      const { nameFrom, nameTo, valueFrom, valueTo } = attributes;
      const field = FIELD_OF_ATTRIBUTE.get(latin1.decode(bytes.subarray(nameFrom, nameTo)));
      if (field === undefined || values.has(field)) continue;
      const value = { bytes: new Uint8Array(valueTo - valueFrom), length: 0 };
      addAttribute(value, bytes, valueFrom, valueTo);
      values.set(field, value.bytes.subarray(0, value.length));
    }
    return this.#label.labelOf((field) => values.get(field));
  }

  /** Label from texts of fields; valid until the next call. */
  ofTexts(textOf: (name: string) => Uint8Array | undefined): Uint8Array {
    return this.#label.labelOf((field) => textOf(NAMES[field] as string));
  }
}

/** Default facets of JMeter and their columns. Without further settings, only distributed runs write a host. */
const USUAL: ReadonlyMap<string, string> = new Map([
  ["threadGroup", COLUMN_NAMES.threadName],
  ["hostname", COLUMN_NAMES.hostname],
]);

/** Stands for the label of the transaction around a sample of XML, which is no column. */
export const TRANSACTION = "(transaction)";

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

/** Group, number of the group, number of the thread. As in kernel/rows/facets.ts. */
const THREAD = /^(?<group>.+) \d+-\d+$/s;
/** Where a remote engine ran, as it is named in `remote_hosts`: an address, or a host with its port. */
const ENGINE = /^(?:\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?|[\w.-]+:\d+)-/;

/** The thread group in the name of a thread, `Shop 1-12` or in distributed runs `10.0.0.3-Shop 1-12`; empty if there is none. */
export function threadGroupOf(threadName: string): string {
  return THREAD.exec(threadName)?.groups?.["group"]?.replace(ENGINE, "") ?? "";
}
