import type { JsonSchema, Static } from "../api/schema.ts";
import {
  flag,
  type Form,
  list,
  members,
  number,
  oneOf,
  optional,
  orNull,
  text,
  time,
  wholeNumber,
} from "./answer-form.ts";

const SIMPLE: Readonly<Record<string, Form<unknown>>> = {
  string: text,
  number,
  boolean: flag,
};

/** The form of what `schema` allows; further members of objects are let through. */
export function formOf<Schema extends JsonSchema>(schema: Schema): Form<Static<Schema>> {
  return anyForm(schema) as Form<Static<Schema>>;
}

function anyForm(schema: JsonSchema): Form<unknown> {
  const { type } = schema;
  if ("const" in schema) return oneOf([schema["const"] as string]);
  if (Array.isArray(schema["enum"])) return oneOf(schema["enum"] as string[]);
  if (Array.isArray(type))
    return orNull(anyForm({ ...schema, type: type.find((each) => each !== "null") }));
  if (type === "array") return list(anyForm(schema["items"] as JsonSchema));
  if (type === "object") return objectForm(schema);
  if (type === "integer") {
    const { minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER } = schema;
    return wholeNumber(minimum as number, maximum as number);
  }
  if (schema["format"] === "date-time") return time;
  const form = SIMPLE[String(type)];
  if (form === undefined) throw new Error(`BUG: no form is known for ${JSON.stringify(schema)}`);
  return form;
}

function objectForm({ properties, required = [] }: JsonSchema): Form<object> {
  const forms = Object.entries(properties as Record<string, JsonSchema>).map(([name, each]) => {
    const form = anyForm(each);
    return [name, (required as string[]).includes(name) ? form : optional(form)];
  });
  return members(Object.fromEntries(forms));
}
