import { UserError } from "../../model/errors.ts";
import { isObject, jsonText, parsedJson } from "../../model/json-text.ts";
import { plainDecimal, scaledOf } from "../bytes/exact-number.ts";
import type { LabelTable } from "../labels/label-table.ts";
import { LabelTemplate, templateFields } from "../labels/label-template.ts";
import { quoted } from "../quoted.ts";

type Fields = Readonly<Record<string, unknown>>;

export class JsonFields {
  complaint: string | undefined;
  readonly #fields: Fields;

  constructor(fields: Fields) {
    this.#fields = fields;
  }

  /** `undefined` if `text` is no object. */
  static parse(text: string): JsonFields | undefined {
    const value = parsedJson(text, LONG_NUMBER.test(text) ? longAsWritten : undefined);
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

  /** A decimal times 10^`scale`, rounded half away from zero; `undefined` if negative, above 2^53 - 1 or no number. */
  decimal(name: string, scale: number): number | undefined {
    const value = this.#fields[name];
    return typeof value === "number" ? readJsonNumber(String(value), scale) : undefined;
  }

  /** Nanoseconds as written. 0 and a complaint if it is no whole number. */
  nanos(name: string): bigint {
    const value = this.#fields[name];
    if (this.wholeIfKnown(name) === undefined && !WHOLE.test(String(value))) {
      this.#complain(name, "a whole number of nanoseconds");
      return 0n;
    }
    return BigInt(value as string | number);
  }

  /** `undefined` if it is missing, null or no object. */
  objectIfKnown(name: string): JsonFields | undefined {
    const value = this.#fields[name];
    return isObject(value) ? new JsonFields(value) : undefined;
  }

  /** A text, number or truth as text; empty if it is missing or another value. */
  textIfKnown(name: string): string {
    const value = this.#fields[name];
    return isPlain(value) ? String(value) : "";
  }

  /** Of a list; none of another value. */
  textsIfKnown(name: string): readonly string[] {
    const value = this.#fields[name];
    return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
  }

  get names(): readonly string[] {
    return Object.keys(this.#fields);
  }

  /** A number, or those of a list; another value is NaN. */
  numbers(name: string): readonly number[] {
    const value = this.#fields[name];
    const all: readonly unknown[] = Array.isArray(value) ? value : [value];
    return all.map((each) => (typeof each === "number" ? each : Number.NaN));
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

/** More digits than a double keeps, such as nanoseconds since 1970. */
const LONG_NUMBER = /\d{16}/;
const WHOLE = /^\d{1,30}$/;

/** Whole numbers that a double cannot hold stay texts. */
function longAsWritten(_key: string, value: unknown, context?: { source?: string }): unknown {
  const isLong = Number.isInteger(value) && !Number.isSafeInteger(value);
  return isLong ? (context?.source ?? value) : value;
}

/** A JSON number times 10^`scale`, rounded half away from zero; `undefined` if negative or above 2^53 - 1. */
export function readJsonNumber(text: string, scale: number): number | undefined {
  return scaledOf(plainDecimal(text), scale);
}

const encoder = new TextEncoder();

export type JsonMembers = Readonly<Record<string, unknown>>;

/** Labels by template from known members, and others that appear later. */
export class JsonLabel {
  readonly #templateText: string;
  readonly #template: LabelTemplate;
  readonly #fields: readonly string[];
  readonly #seen: Set<string>;
  #requests = 0;

  /** Members of `known` may be missing. Throws `bad-parameter`. */
  constructor(template: string, known: readonly string[]) {
    this.#seen = new Set(known);
    this.#templateText = template;
    this.#fields = templateFields(template);
    this.#template = new LabelTemplate(template, this.#fields);
  }

  /** Or `LABEL_TOO_LONG`. */
  indexIn(labels: LabelTable, members: JsonMembers): number {
    this.#requests += 1;
    for (const name of Object.keys(members)) this.#seen.add(name);
    return this.#template.indexIn(labels, (field) => {
      const value = members[this.#fields[field] as string];
      return encoder.encode(isPlain(value) ? String(value) : "");
    });
  }

  /** Throws `bad-parameter` if no object had a member of the template. */
  checkFields(): void {
    const unknown = this.#fields.find((field) => !this.#seen.has(field));
    if (unknown === undefined || this.#requests === 0) return;
    throw new UserError(
      "bad-parameter",
      `cannot use the label template ${quoted(this.#templateText)}: no request has the field ${quoted(unknown)}, known are ${[...this.#seen].map(quoted).join(", ")}`,
    );
  }
}

function isPlain(value: unknown): value is string | number | boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}
