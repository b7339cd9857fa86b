import { LabelTemplate } from "../labels/label-template.ts";
import { XmlAttributes } from "../xml/xml-attributes.ts";
import { addAttribute } from "../xml/xml-text.ts";

/** What JMeter puts behind the name of a thread group: the group's and the thread's number. */
const THREAD_NUMBER = / \d+-\d+$/;
const THREAD_NAME = "threadName";
const THREAD_GROUP = "group";
const NOTHING = new Uint8Array(0);

const encoder = new TextEncoder();

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** Attributes of a sample by the names that JMeter gives them in CSV. */
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

/** What a template may name in JMeter XML. */
export const XML_LABEL_FIELDS = labelFieldsOf(NAMES);

const latin1 = new TextDecoder("latin1");

/** The fields that a template may name where a source has those of `names`. */
function labelFieldsOf(names: readonly string[]): readonly string[] {
  return names.includes(THREAD_NAME) ? [...names, THREAD_GROUP] : names;
}

/**
 * The labels of JMeter's samples where a template puts them together: of what a source records, by
 * the names of its columns, and of the `group` that the name of a thread begins with.
 */
export class JmeterLabel {
  readonly #template: LabelTemplate;
  readonly #threadName: number;
  readonly #group: number;

  /** Throws `bad-parameter` where the template names a field that is not in `names`. */
  constructor(template: string, names: readonly string[]) {
    this.#template = new LabelTemplate(template, labelFieldsOf(names));
    this.#threadName = names.indexOf(THREAD_NAME);
    this.#group = this.#threadName < 0 ? -1 : names.length;
  }

  /** Whether labels hold what stands in a column, by its index in `names`. */
  uses(column: number): boolean {
    const isGroup = column === this.#threadName && this.#template.uses(this.#group);
    return isGroup || this.#template.uses(column);
  }

  /** The label of a sample, until the next call; `contentsOf` gives a field by its index in `names`. */
  labelOf(contentsOf: (field: number) => Uint8Array | undefined): Uint8Array {
    return this.#template.labelOf((field) => {
      if (field !== this.#group) return contentsOf(field) ?? NOTHING;
      const threadName = utf8.decode(contentsOf(this.#threadName));
      return encoder.encode(threadName.replace(THREAD_NUMBER, ""));
    });
  }
}

/** The labels of samples in XML where a template puts them together. */
export class JmeterXmlLabel {
  readonly #label: JmeterLabel;
  readonly #attributes = new XmlAttributes();

  /** Throws `bad-parameter` where the template names another field than `XML_LABEL_FIELDS`. */
  constructor(template: string) {
    this.#label = new JmeterLabel(template, NAMES);
  }

  /** The label of the sample whose tag is at `[from, to)`, until the next call. */
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

  /** The label of a sample from the texts of its fields, until the next call. */
  ofTexts(textOf: (name: string) => Uint8Array | undefined): Uint8Array {
    return this.#label.labelOf((field) => textOf(NAMES[field] as string));
  }
}
