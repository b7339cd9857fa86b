import { jsonText } from "../../model/json-text.ts";
import type { ParameterComplaint } from "../response/http-error.ts";
import { HttpError, quoted } from "../response/http-error.ts";

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
  const text = utf8Text(bytes);
  const value = parseJson(text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new HttpError("bad-body", "cannot read the body: expected a JSON object");
  }
  const repeated = repeatedName(text);
  if (repeated !== undefined) {
    throw new HttpError("bad-body", `cannot read the body: ${quoted(repeated)} is there twice`);
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

function utf8Text(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new HttpError("bad-body", "cannot read the body: expected JSON in UTF-8");
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new HttpError("bad-body", "cannot read the body: expected JSON in UTF-8");
  }
}

/** A string, perhaps the name of a member, or what changes the depth; in JSON that can be read. */
const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|[{}[\]]/g;

/** A name that the object has twice, of which `JSON.parse` gives the last one only. */
function repeatedName(text: string): string | undefined {
  const names = new Set<string>();
  let depth = 0;
  for (const [token, string, colon] of text.matchAll(TOKEN)) {
    if (string === undefined) depth += token === "{" || token === "[" ? 1 : -1;
    if (string === undefined || colon === undefined || depth !== 1) continue;
    const name = JSON.parse(string) as string;
    if (names.has(name)) return name;
    names.add(name);
  }
  return undefined;
}

function complaintsAbout(
  { name, required, schema }: Member,
  value: unknown,
): readonly ParameterComplaint[] {
  if (value === undefined) {
    return required ? [{ parameter: name, detail: `${name} is required` }] : [];
  }
  if (fits(schema, value)) return [];
  const got = quoted(jsonText(value));
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
