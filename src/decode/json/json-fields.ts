import { isObject, jsonText, parsedJson } from "../../model/json-text.ts";
import { plainDecimal, scaledOf } from "../bytes/exact-number.ts";
import { quoted } from "../quoted.ts";

type Fields = Readonly<Record<string, unknown>>;

export class JsonFields {
  /** The first fault of the object. */
  complaint: string | undefined;
  readonly #fields: Fields;

  constructor(fields: Fields) {
    this.#fields = fields;
  }

  /** `undefined` if `text` is no object. */
  static parse(text: string): JsonFields | undefined {
    const value = parsedJson(text);
    return isObject(value) ? new JsonFields(value) : undefined;
  }

  has(name: string): boolean {
    return Object.hasOwn(this.#fields, name);
  }

  /** 0 and a complaint if it is no exact whole number. */
  whole(name: string): number {
    const value = this.wholeIfKnown(name);
    if (value === undefined) this.#complain(name, "a whole number");
    return value ?? 0;
  }

  /** `undefined` if it is no exact whole number. */
  wholeIfKnown(name: string): number | undefined {
    const value = this.#fields[name];
    const isWhole = typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
    return isWhole ? value : undefined;
  }

  truth(name: string): boolean {
    const value = this.#fields[name];
    if (typeof value === "boolean") return value;
    this.#complain(name, "true or false");
    return false;
  }

  text(name: string): string {
    const value = this.#fields[name];
    if (typeof value === "string") return value;
    this.#complain(name, "a text");
    return "";
  }

  /** Empty and a complaint if it is no object. */
  object(name: string): JsonFields {
    const value = this.#fields[name];
    if (isObject(value)) return new JsonFields(value);
    this.#complain(name, "an object");
    return new JsonFields({});
  }

  #complain(name: string, wanted: string): void {
    const got = this.has(name) ? quoted(jsonText(this.#fields[name])) : "nothing";
    this.complaint ??= `cannot read ${name}: got ${got}, want ${wanted}`;
  }
}

/** A JSON number times 10^`scale`, rounded half away from zero; `undefined` if negative or above 2^53 - 1. */
export function readJsonNumber(text: string, scale: number): number | undefined {
  return scaledOf(plainDecimal(text), scale);
}
