/** Reads values of OTLP/JSON, and of Protocol Buffers read into the same form. Whatever is of another type counts as absent. */

/** A JSON object, or a message of Protocol Buffers with the names of OTLP/JSON. */
export type Json = Readonly<Record<string, unknown>>;

const EMPTY: Json = {};

export function jsonOf(value: unknown): Json {
  return typeof value === "object" && value !== null ? (value as Json) : EMPTY;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

const WHOLE = /^-?\d{1,20}$/;

/** A 64-bit integer, which OTLP/JSON writes as a string or, less exactly, as a number; 0 if absent. */
export function wideOf(value: unknown): bigint {
  if (typeof value === "bigint") return value;
  if (typeof value === "number") return isWide(value) ? BigInt(value) : 0n;
  return typeof value === "string" && WHOLE.test(value) ? BigInt(value) : 0n;
}

function isWide(value: number): boolean {
  return Number.isInteger(value) && Math.abs(value) < 2 ** 64;
}

/** The number of an enumeration, which may be written as one of its names, by number; 0 if it is neither. */
export function enumOf(value: unknown, names: readonly string[]): number {
  const named = typeof value === "string" ? names.indexOf(value) : -1;
  return named >= 0 ? named : Number(wideOf(value));
}

export function numberOf(value: unknown): number | undefined {
  if (typeof value === "number") return value;
  if (typeof value === "bigint") return Number(value);
  const isNumber = typeof value === "string" && value.trim() !== "" && !Number.isNaN(Number(value));
  return isNumber ? Number(value) : undefined;
}

/** Text of a scalar attribute; `undefined` for lists and maps. */
export function attributeText(value: unknown): string | undefined {
  const { stringValue, boolValue, intValue, doubleValue } = jsonOf(value);
  const scalar = stringValue ?? boolValue ?? intValue ?? doubleValue;
  if (typeof scalar === "string") return scalar;
  const isNamed = typeof scalar === "number" || typeof scalar === "boolean";
  return isNamed || typeof scalar === "bigint" ? String(scalar) : undefined;
}

/** Text of the attribute `name` in a list of attributes; empty if there is none. */
export function attributeNamed(attributes: unknown, name: string): string {
  const found = listOf(attributes).findLast((each) => jsonOf(each)["key"] === name);
  return attributeText(jsonOf(found)["value"]) ?? "";
}
