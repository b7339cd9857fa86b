import { threadGroupOf } from "./thread-group.ts";
import { LabelTemplate } from "../labels/label-template.ts";
import { XmlAttributes } from "../xml/xml-attributes.ts";
import { addAttribute } from "../xml/xml-text.ts";

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

/** Labels of XML samples by template. */
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
