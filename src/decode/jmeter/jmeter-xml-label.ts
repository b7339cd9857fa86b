import { JmeterLabel, labelFieldsOf } from "./jmeter-label.ts";
import { XmlAttributes } from "../xml/xml-attributes.ts";
import { addAttribute } from "../xml/xml-text.ts";

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
