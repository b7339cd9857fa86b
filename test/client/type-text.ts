/** JSON Schema, as far as the OpenAPI document uses it, written as TypeScript. */

export type Schema = { readonly [keyword: string]: unknown };

/** What says more about a value than its type: nothing that TypeScript could hold anybody to. */
const BEYOND_TYPES = new Set([
  "title",
  "description",
  "default",
  "example",
  "format",
  "pattern",
  "minimum",
  "maximum",
  "minLength",
  "minItems",
  "propertyNames",
]);

const TYPES = new Set([
  "type",
  "enum",
  "const",
  "oneOf",
  "items",
  "prefixItems",
  "properties",
  "required",
  "additionalProperties",
]);

const SIMPLE: Readonly<Record<string, string>> = {
  string: "string",
  integer: "number",
  number: "number",
  boolean: "boolean",
  null: "null",
};

/** The type of the values that `schema` allows. Throws on keywords that are not known here. */
export function typeText(schema: Schema, indent = ""): string {
  const unknown = Object.keys(schema).filter((key) => !TYPES.has(key) && !BEYOND_TYPES.has(key));
  if (unknown.length > 0) throw new Error(`no TypeScript is known for ${unknown.join(", ")}`);
  if (schema["const"] !== undefined) return literalText(schema["const"]);
  if (Array.isArray(schema["enum"])) return union(schema["enum"].map(literalText));
  if (Array.isArray(schema["oneOf"])) {
    return union(schema["oneOf"].map((each: Schema) => typeText(each, indent)));
  }
  const { type } = schema;
  if (Array.isArray(type)) {
    return union(type.map((each: string) => typeText({ ...schema, type: each }, indent)));
  }
  if (type === "array") return listText(schema, indent);
  if (type === "object") return objectText(schema, indent);
  return type === undefined ? "unknown" : simpleText(type);
}

/** A member of an object: absent or there, or where it is `given` by a caller, also `undefined`. */
export function memberText(name: string, schema: Schema, { presence, indent }: Place): string {
  const { description } = schema;
  const comment = typeof description === "string" ? `${indent}/** ${description} */\n` : "";
  const key = /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
  const mark = presence === "required" ? "" : "?";
  const type = typeText(schema, indent) + (presence === "given" ? " | undefined" : "");
  return `${comment}${indent}readonly ${key}${mark}: ${type};\n`;
}

interface Place {
  readonly presence: "required" | "optional" | "given";
  readonly indent: string;
}

function simpleText(type: unknown): string {
  const text = typeof type === "string" ? SIMPLE[type] : undefined;
  if (text === undefined) throw new Error(`no TypeScript is known for ${JSON.stringify(type)}`);
  return text;
}

function literalText(value: unknown): string {
  return Array.isArray(value)
    ? `readonly [${value.map(literalText).join(", ")}]`
    : JSON.stringify(value);
}

function union(types: readonly string[]): string {
  return [...new Set(types)].join(" | ");
}

function listText({ prefixItems, items }: Schema, indent: string): string {
  const rest =
    items === undefined || items === false ? undefined : typeText(items as Schema, indent);
  if (!Array.isArray(prefixItems)) return `ReadonlyArray<${rest ?? "unknown"}>`;
  const first = prefixItems.map((each: Schema) => typeText(each, indent));
  return `readonly [${[...first, ...(rest === undefined ? [] : [`...ReadonlyArray<${rest}>`])].join(", ")}]`;
}

function objectText(schema: Schema, indent: string): string {
  const { properties, required, additionalProperties } = schema;
  if (properties === undefined) {
    const values = typeof additionalProperties === "object" && additionalProperties !== null;
    const type = values ? typeText(additionalProperties as Schema, indent) : "unknown";
    return `Readonly<Record<string, ${type}>>`;
  }
  const names = new Set(Array.isArray(required) ? (required as string[]) : []);
  const inner = `${indent}  `;
  const members = Object.entries(properties as Record<string, Schema>).map(([name, each]) =>
    memberText(name, each, {
      presence: names.has(name) ? "required" : "optional",
      indent: inner,
    }),
  );
  return `{\n${members.join("")}${indent}}`;
}
