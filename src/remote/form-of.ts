import type { JsonSchema, Static } from "../api/schema.ts";
import { jsonText } from "../model/json-text.ts";
import { badAnswer } from "./bad-answer.ts";

/**
 * Returns a value that has the form, members that the form does not know included. Throws a `Difference` for
 * any other; `place` says where in the answer the value stands, "" for all of it.
 */
export type Form<Value> = (value: unknown, place: string) => Value;

/** The form of what `schema` allows; further members of objects are let through, patterns are not checked. */
export function formOf<Schema extends JsonSchema>(schema: Schema): Form<Static<Schema>> {
  return (value, place) => {
    check(schema, value, place);
    return value as Static<Schema>;
  };
}

/** Returns `value` where it has the form. Throws `bad-answer`; `what` says whose answer it is. */
export function formed<Value>(form: Form<Value>, value: unknown, what: string): Value {
  try {
    return form(value, "");
  } catch (error) {
    throw error instanceof Difference ? badAnswer(what, error.message) : error;
  }
}

/** Where an answer has not the form that it should have. */
class Difference extends Error {}

function check(schema: JsonSchema, value: unknown, place: string): void {
  const { type, enum: allowed = "const" in schema ? [schema["const"]] : undefined } = schema;
  if (Array.isArray(allowed)) {
    demand(allowed.includes(value), `one of ${allowed.join(", ")}`, value, place);
  } else if (Array.isArray(type)) {
    const other = type.find((each) => each !== "null");
    if (value !== null) check({ ...schema, type: other }, value, place);
  } else if (type === "array") {
    checkItems(schema["items"] as JsonSchema, value, place);
  } else if (type === "object") {
    checkMembers(schema, value, place);
  } else {
    const [isSuch, want] = simple(schema, value);
    demand(isSuch, want, value, place);
  }
}

function checkItems(items: JsonSchema, value: unknown, place: string): void {
  if (!Array.isArray(value)) throw difference("a list", value, place);
  for (const [index, each] of value.entries()) check(items, each, `${place}[${index}]`);
}

function checkMembers(schema: JsonSchema, value: unknown, place: string): void {
  if (typeof value !== "object" || value === null) throw difference("an object", value, place);
  const given = value as Readonly<Record<string, unknown>>;
  const { properties = {}, required = [] } = schema as {
    readonly properties?: Readonly<Record<string, JsonSchema>>;
    readonly required?: readonly string[];
  };
  for (const [name, each] of Object.entries(properties)) {
    if (given[name] === undefined && !required.includes(name)) continue;
    check(each, given[name], place === "" ? name : `${place}.${name}`);
  }
}

function simple(schema: JsonSchema, value: unknown): readonly [isSuch: boolean, want: string] {
  const { type, format } = schema;
  if (type === "integer") {
    const { minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER } = schema;
    const isWithin =
      Number.isInteger(value) &&
      Number(value) >= Number(minimum) &&
      Number(value) <= Number(maximum);
    return [isWithin, `a whole number from ${String(minimum)} to ${String(maximum)}`];
  }
  if (type === "number") return [typeof value === "number", "a number"];
  if (type === "boolean") return [typeof value === "boolean", "true or false"];
  if (type !== "string") throw new Error(`BUG: no form is known for ${JSON.stringify(schema)}`);
  if (format !== "date-time") return [typeof value === "string", "a text"];
  return [typeof value === "string" && !Number.isNaN(Date.parse(value)), "a time"];
}

function demand(holds: boolean, want: string, value: unknown, place: string): void {
  if (!holds) throw difference(want, value, place);
}

function difference(want: string, value: unknown, place: string): Difference {
  const got = jsonText(value).slice(0, 100).toWellFormed();
  return new Difference(`${place}${place === "" ? "" : ": "}expected ${want}, got ${got}`);
}
