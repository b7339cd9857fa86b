import type { ParameterComplaint } from "./http-error.ts";
import { HttpError, quoted } from "./http-error.ts";

/** A member of a JSON body: what is checked, and what the OpenAPI document says. */
export interface Member {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
  readonly schema: MemberSchema;
}

/** The part of JSON Schema that members need, as it stands in the OpenAPI document. */
type MemberSchema =
  | { readonly type: "string" }
  | { readonly type: "boolean" }
  | { readonly type: "integer"; readonly minimum?: number; readonly maximum?: number }
  | { readonly type: "array"; readonly items: ItemSchema };

interface ItemSchema {
  readonly type: "string";
  readonly enum?: readonly string[];
}

/** Members that were given and are of the right type; those not given are absent. */
export type Members = Readonly<Record<string, unknown>>;

/** Reads a JSON body. Throws `bad-body` where it is none, `bad-parameter` where a member is wrong. */
export function readMembers(bytes: Uint8Array, definitions: readonly Member[]): Members {
  const value = parseJson(bytes);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new HttpError("bad-body", "cannot read the body: expected a JSON object");
  }
  const given = new Map<string, unknown>(Object.entries(value));
  const complaints = [
    ...definitions.flatMap((definition) => complaintsAbout(definition, given.get(definition.name))),
    ...[...given.keys()].flatMap((name) => complaintsAboutName(name, definitions)),
  ];
  if (complaints.length > 0) {
    const details = complaints.map(({ detail }) => detail);
    throw new HttpError("bad-parameter", details.join("; "), { complaints });
  }
  return Object.fromEntries(given);
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw new HttpError("bad-body", "cannot read the body: expected JSON in UTF-8");
  }
}

function complaintsAbout(
  { name, required, schema }: Member,
  value: unknown,
): readonly ParameterComplaint[] {
  if (value === undefined) {
    return required ? [{ parameter: name, detail: `${name} is required` }] : [];
  }
  if (fits(schema, value)) return [];
  const got = quoted(JSON.stringify(value));
  return [{ parameter: name, detail: `${name}: expected ${wantedBy(schema)}, got ${got}` }];
}

function wantedBy(schema: MemberSchema): string {
  if (schema.type === "array") return `an array of ${schema.items.enum?.join(", ") ?? "strings"}`;
  if (schema.type !== "integer") return `a ${schema.type}`;
  const { minimum, maximum } = schema;
  return maximum === undefined ? "a whole number" : `a whole number from ${minimum} to ${maximum}`;
}

function fits(schema: MemberSchema, value: unknown): boolean {
  if (schema.type === "integer") {
    const { minimum = -Infinity, maximum = Infinity } = schema;
    return Number.isSafeInteger(value) && Number(value) >= minimum && Number(value) <= maximum;
  }
  if (schema.type !== "array") return typeof value === schema.type;
  const known = schema.items.enum;
  return (
    Array.isArray(value) &&
    value.every((element) => typeof element === "string" && (known?.includes(element) ?? true))
  );
}

function complaintsAboutName(
  name: string,
  definitions: readonly Member[],
): readonly ParameterComplaint[] {
  if (definitions.some((definition) => definition.name === name)) return [];
  const known = definitions.map((definition) => definition.name).join(", ");
  const parameter = name.slice(0, 100);
  return [{ parameter, detail: `no member is called ${quoted(name)}: expected ${known}` }];
}
