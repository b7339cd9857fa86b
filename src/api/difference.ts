import { jsonText } from "../model/json-text.ts";
import type { JsonSchema } from "./schema.ts";

/**
 * Returns the first place where `value` violates `schema`, with the expected and the actual value; `undefined` if
 * it is valid. `place` is the path of the value, "" for the root. Additional members of objects are accepted;
 * patterns are not checked.
 */
export function differenceFrom(
  schema: JsonSchema,
  value: unknown,
  place: string,
): string | undefined {
  const { type, enum: allowed = "const" in schema ? [schema["const"]] : undefined } = schema;
  if (Array.isArray(allowed)) {
    const isAllowed = allowed.includes(value);
    return isAllowed ? undefined : difference(`one of ${allowed.join(", ")}`, value, place);
  }
  if (Array.isArray(type)) {
    if (value === null) return undefined;
    return differenceFrom({ ...schema, type: type.find((each) => each !== "null") }, value, place);
  }
  if (type === "array") return differenceOfItems(schema["items"] as JsonSchema, value, place);
  if (type === "object") return differenceOfMembers(schema, value, place);
  const [isRight, want] = simple(schema, value);
  return isRight ? undefined : difference(want, value, place);
}

function differenceOfItems(items: JsonSchema, value: unknown, place: string): string | undefined {
  if (!Array.isArray(value)) return difference("an array", value, place);
  for (const [index, each] of value.entries()) {
    const found = differenceFrom(items, each, `${place}[${index}]`);
    if (found !== undefined) return found;
  }
  return undefined;
}

function differenceOfMembers(
  schema: JsonSchema,
  value: unknown,
  place: string,
): string | undefined {
  if (typeof value !== "object" || value === null) return difference("an object", value, place);
  const given = value as Readonly<Record<string, unknown>>;
  const { properties, required } = membersOf(schema);
  for (const [name, each] of Object.entries(properties)) {
    if (given[name] === undefined && !required.includes(name)) continue;
    const found = differenceFrom(each, given[name], place === "" ? name : `${place}.${name}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The schemas of an object's members, and the names of the required ones. */
export function membersOf(schema: JsonSchema): {
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly required: readonly string[];
} {
  const { properties = {}, required = [] } = schema as Partial<ReturnType<typeof membersOf>>;
  return { properties, required };
}

function simple(schema: JsonSchema, value: unknown): readonly [isRight: boolean, want: string] {
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
  if (type !== "string") throw new Error(`BUG: cannot check with ${JSON.stringify(schema)}`);
  if (format !== "date-time") return [typeof value === "string", "a string"];
  return [typeof value === "string" && !Number.isNaN(Date.parse(value)), "a time"];
}

function difference(want: string, value: unknown, place: string): string {
  const got = jsonText(value).slice(0, 100).toWellFormed();
  return `${place}${place === "" ? "" : ": "}expected ${want}, got ${got}`;
}
