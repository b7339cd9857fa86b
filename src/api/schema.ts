import { isObject, jsonText } from "../model/json-text.ts";

export type JsonSchema = { readonly [keyword: string]: unknown };

interface Simple {
  readonly string: string;
  readonly integer: number;
  readonly number: number;
  readonly boolean: boolean;
  readonly null: null;
}

/** The type of a constant schema's values. */
export type Static<Schema> = Schema extends { readonly const: infer Value }
  ? Value
  : Schema extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : Schema extends { readonly oneOf: readonly (infer Each)[] }
      ? StaticEach<Each>
      : Schema extends { readonly prefixItems: infer Items }
        ? { readonly [Index in keyof Items]: Static<Items[Index]> }
        : Schema extends { readonly type: "array"; readonly items: infer Item }
          ? readonly Static<Item>[]
          : Schema extends ObjectSchema<infer Given>
            ? StaticMembers<Given>
            : Schema extends { readonly type: "object"; readonly additionalProperties: infer Value }
              ? Readonly<Record<string, Static<Value>>>
              : Schema extends { readonly type: keyof Simple | readonly (keyof Simple)[] }
                ? Simple[TypeOf<Schema["type"]>]
                : unknown;

type StaticEach<Schema> = Schema extends unknown ? Static<Schema> : never;

type TypeOf<Type> = Type extends readonly (infer One)[] ? One & keyof Simple : Type & keyof Simple;

const OPTIONAL = Symbol("optional");

interface Optional<Schema> {
  readonly [OPTIONAL]: Schema;
}

type Members = Readonly<Record<string, JsonSchema | Optional<JsonSchema>>>;

export type StaticMembers<Given> = {
  readonly [Name in keyof Given as Given[Name] extends Optional<unknown> ? never : Name]: Static<
    Given[Name]
  >;
} & {
  readonly [Name in keyof Given as Given[Name] extends Optional<unknown> ? Name : never]?:
    | (Given[Name] extends Optional<infer Schema> ? Static<Schema> : never)
    | undefined;
};

declare const MEMBERS: unique symbol;

/** Carries its members for `Static` only. */
interface ObjectSchema<Given> extends JsonSchema {
  readonly [MEMBERS]: Given;
}

export function object<const Given extends Members>(members: Given): ObjectSchema<Given> {
  const all = Object.entries(members);
  const required = all.flatMap(([name, member]) => (OPTIONAL in member ? [] : [name]));
  return {
    type: "object",
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
    properties: Object.fromEntries(
      all.map(([name, member]) => [name, OPTIONAL in member ? member[OPTIONAL] : member]),
    ),
  } as unknown as ObjectSchema<Given>;
}

/** An object that has a type of this name in the client. */
export function named<const Given extends Members>(title: string, members: Given) {
  return { title, ...object(members) };
}

export function optional<const Schema extends JsonSchema>(
  schema: Schema,
  description?: string,
): Optional<Schema> {
  return { [OPTIONAL]: description === undefined ? schema : about(schema, description) };
}

/** The same members, each of which may be absent. */
export function allOptional<const Given extends Readonly<Record<string, JsonSchema>>>(
  members: Given,
): { readonly [Name in keyof Given]: Optional<Given[Name]> } {
  return Object.fromEntries(
    Object.entries(members).map(([name, schema]) => [name, optional(schema)]),
  ) as unknown as { readonly [Name in keyof Given]: Optional<Given[Name]> };
}

export function about<const Schema extends JsonSchema>(schema: Schema, description: string) {
  return { ...schema, description };
}

export function choice<const Text extends string>(texts: readonly Text[]) {
  return { type: "string", enum: texts } as const;
}

export function list<const Item extends JsonSchema>(items: Item, description?: string) {
  return { type: "array", ...(description === undefined ? {} : { description }), items } as const;
}

export function itemOf(schema: JsonSchema, member?: string): JsonSchema {
  const members = schema["properties"] as Readonly<Record<string, JsonSchema>>;
  return (member === undefined ? schema : members[member])?.["items"] as JsonSchema;
}

/**
 * Returns the first place where `value` violates `schema`, with the expected and the actual value; `undefined` if
 * it is valid. `place` is the path of the value, "" for the root. Additional members of objects are accepted, unless the
 * schema has one for them; patterns are not checked.
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
  if (Array.isArray(schema["oneOf"])) return differenceOfKind(schema["oneOf"], value, place);
  if (type === "array") return differenceOfItems(schema["items"] as JsonSchema, value, place);
  if (type === "object") return differenceOfMembers(schema, value, place);
  const [isRight, want] = simple(schema, value);
  return isRight ? undefined : difference(want, value, place);
}

/** Of objects that differ by `kind`. Further kinds are those of later versions, and right. */
function differenceOfKind(
  schemas: readonly JsonSchema[],
  value: unknown,
  place: string,
): string | undefined {
  const found = differenceFrom(ANY_KIND, value, place);
  if (found !== undefined) return found;
  const { kind } = value as { readonly kind: string };
  const own = schemas.find((schema) => membersOf(schema).properties["kind"]?.["const"] === kind);
  return own && differenceFrom(own, value, place);
}

const ANY_KIND = object({ kind: { type: "string" } });

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
  if (!isObject(value)) return difference("an object", value, place);
  const { properties, required } = membersOf(schema);
  const placeOf = (name: string): string => (place === "" ? name : `${place}.${name}`);
  for (const [name, each] of Object.entries(properties)) {
    if (value[name] === undefined && !required.includes(name)) continue;
    const found = differenceFrom(each, value[name], placeOf(name));
    if (found !== undefined) return found;
  }
  const { additionalProperties: others } = schema;
  if (!isObject(others)) return undefined;
  for (const [name, each] of Object.entries(value)) {
    if (Object.hasOwn(properties, name)) continue;
    const found = differenceFrom(others, each, placeOf(name));
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

/** `Date.parse` reads much more, such as "5". */
const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)$/i;

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
  const text = typeof value === "string" ? value : "";
  if (format !== "date-time") return [text === value, "a string"];
  const isTime = DATE_TIME.test(text) && !Number.isNaN(Date.parse(text));
  return [isTime, "a time with its zone, such as 2026-11-21T03:43:30Z"];
}

function difference(want: string, value: unknown, place: string): string {
  const got = jsonText(value).slice(0, 100).toWellFormed();
  return `${place}${place === "" ? "" : ": "}expected ${want}, got ${got}`;
}
