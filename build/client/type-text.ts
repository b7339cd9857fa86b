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
  "maxItems",
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

/** Titles that name a type. */
const TYPE_NAME = /^[A-Z][A-Za-z]*$/;

/** Whether a member has to be there, and where it is written. */
interface Place {
  /** Optional ones may be absent; those that are given by a caller, also `undefined`. */
  readonly presence: "required" | "optional" | "given";
  readonly indent: string;
}

/** Writes schemas as types, and gathers those that have names. */
export class TypeWriter {
  /** By name how the type is written. */
  readonly shapes = new Map<string, string>();

  /**
   * The type of the values that `schema` allows, by its name where it has one. Throws on keywords that
   * are not known here, and on a name that stands for two types. Optional members of an object without a name are
   * written as `optional` says.
   */
  typeText(schema: Schema, indent = "", optional: Place["presence"] = "optional"): string {
    const { title } = schema;
    if (typeof title !== "string" || !TYPE_NAME.test(title)) {
      return this.#plainText(schema, indent, optional);
    }
    const text = this.#plainText(schema, "");
    if ((this.shapes.get(title) ?? text) !== text) throw new Error(`${title} names two types`);
    this.shapes.set(title, text);
    return title;
  }

  /** A member of an object, with its description. */
  memberText(name: string, schema: Schema, { presence, indent }: Place): string {
    const { description } = schema;
    const comment = typeof description === "string" ? `${indent}/** ${description} */\n` : "";
    const key = /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
    const mark = presence === "required" ? "" : "?";
    const type = this.typeText(schema, indent) + (presence === "given" ? " | undefined" : "");
    return `${comment}${indent}readonly ${key}${mark}: ${type};\n`;
  }

  #plainText(schema: Schema, indent: string, optional: Place["presence"] = "optional"): string {
    const unknown = Object.keys(schema).filter((key) => !TYPES.has(key) && !BEYOND_TYPES.has(key));
    if (unknown.length > 0) throw new Error(`no TypeScript is known for ${unknown.join(", ")}`);
    if (schema["const"] !== undefined) return literalText(schema["const"]);
    if (Array.isArray(schema["enum"])) return union(schema["enum"].map(literalText));
    if (Array.isArray(schema["oneOf"])) {
      return union(schema["oneOf"].map((each: Schema) => this.typeText(each, indent)));
    }
    const { type } = schema;
    if (Array.isArray(type)) {
      return union(type.map((each: string) => this.typeText({ ...schema, type: each }, indent)));
    }
    if (type === "array") return this.#listText(schema, indent);
    if (type === "object") return this.#objectText(schema, indent, optional);
    return type === undefined ? "unknown" : simpleText(type);
  }

  #listText({ prefixItems, items, maxItems }: Schema, indent: string): string {
    const isFull = Array.isArray(prefixItems) && maxItems === prefixItems.length;
    const rest = items === undefined || isFull ? undefined : this.typeText(items as Schema, indent);
    if (!Array.isArray(prefixItems)) return `ReadonlyArray<${rest ?? "unknown"}>`;
    const first = prefixItems.map((each: Schema) => this.typeText(each, indent));
    return `readonly [${[...first, ...(rest === undefined ? [] : [`...ReadonlyArray<${rest}>`])].join(", ")}]`;
  }

  #objectText(schema: Schema, indent: string, optional: Place["presence"]): string {
    const { properties, required, additionalProperties } = schema;
    if (properties === undefined) {
      const values = typeof additionalProperties === "object" && additionalProperties !== null;
      const type = values ? this.typeText(additionalProperties as Schema, indent) : "unknown";
      return `Readonly<Record<string, ${type}>>`;
    }
    const names = new Set(Array.isArray(required) ? (required as string[]) : []);
    const inner = `${indent}  `;
    const members = Object.entries(properties as Record<string, Schema>).map(([name, each]) =>
      this.memberText(name, each, {
        presence: names.has(name) ? "required" : optional,
        indent: inner,
      }),
    );
    return `{\n${members.join("")}${indent}}`;
  }
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
