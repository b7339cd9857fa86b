import type { JsonSchema } from "../api/schema.ts";

interface Components {
  /** By name; grows with each reference. */
  readonly schemas: Record<string, JsonSchema>;
  /**
   * Returns `schema` with its objects as references to components: by their titles, others by `name` and the members that lead to
   * them. Throws if a name stands for two schemas. Generators of clients name types after components, and lose `null` elsewhere.
   */
  readonly refer: (schema: JsonSchema, name: string) => JsonSchema;
}

const INT32_MAX = 2_147_483_647;

export function createComponents(schemas: Record<string, JsonSchema>): Components {
  const keep = (name: string, schema: JsonSchema): JsonSchema => {
    const known = schemas[name];
    if (known !== undefined && shapeOf(known) !== shapeOf(schema)) {
      throw new Error(`BUG: the name ${name} stands for two schemas`);
    }
    const { description } = (schemas[name] ??= schema);
    const own = schema["description"] === description ? {} : { description: schema["description"] };
    return { $ref: `#/components/schemas/${name}`, ...own };
  };
  const within = (value: unknown, path: string): unknown => {
    if (Array.isArray(value)) {
      return value.map((each, at) => within(each, at === 0 ? path : `${path}${at + 1}`));
    }
    if (typeof value !== "object" || value === null) return value;
    const given = withNullType(value as JsonSchema);
    const { title, type, properties, maximum = Infinity } = given;
    const name = typeof title === "string" ? title : path;
    const schema: Record<string, unknown> = {};
    for (const [keyword, each] of Object.entries(given)) {
      schema[keyword] = keyword === "properties" ? withinEach(each, name) : within(each, name);
    }
    // Without it, generators take 32 bits.
    if (type === "integer" && Number(maximum) > INT32_MAX) schema["format"] = "int64";
    return type === "object" && properties !== undefined ? keep(name, schema) : schema;
  };
  const withinEach = (members: unknown, name: string): JsonSchema =>
    Object.fromEntries(
      Object.entries(members as JsonSchema).map(([member, each]) => [
        member,
        within(each, `${name}${member[0]?.toUpperCase() ?? ""}${member.slice(1)}`),
      ]),
    );
  return {
    schemas,
    refer: (schema, name) => within(schema, name) as JsonSchema,
  };
}

/** An object or null as one schema: generators for Java know no alternative that is null alone. */
function withNullType(schema: JsonSchema): JsonSchema {
  const [first, second, ...more] = (schema["oneOf"] ?? []) as JsonSchema[];
  if (first?.["type"] !== "null" || second?.["type"] !== "object" || more.length > 0) return schema;
  const { oneOf: _, ...own } = schema;
  const { title: __, ...object } = second;
  return { ...object, ...own, type: ["object", "null"] };
}

/** A description may say what the value is in its place. */
function shapeOf(schema: JsonSchema): string {
  return JSON.stringify({ ...schema, description: undefined });
}
