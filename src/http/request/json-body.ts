import { differenceFrom, type JsonSchema, membersOf } from "../../api/schema.ts";
import { HttpError, type ParameterComplaint, quoted } from "../response/http-error.ts";

/** Validated members; those not sent are absent. */
export type Members = Readonly<Record<string, unknown>>;

/**
 * Parses and validates a JSON object; members outside `schema` are rejected. Throws `bad-body` if it is not
 * a JSON object, `bad-parameter` for wrong members.
 */
export function readJsonBody(bytes: Uint8Array, schema: JsonSchema): Members {
  const { text, value } = parseJson(bytes);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new HttpError("bad-body", "cannot read the body: expected a JSON object");
  }
  const repeated = repeatedName(text);
  if (repeated !== undefined) {
    throw new HttpError("bad-body", `cannot read the body: ${quoted(repeated)} occurs twice`);
  }
  const complaints = complaintsAbout(value as Members, schema);
  if (complaints.length > 0) {
    const details = complaints.map(({ detail }) => detail);
    throw new HttpError("bad-parameter", details.join("; "), { complaints });
  }
  return value as Members;
}

function parseJson(bytes: Uint8Array): { readonly text: string; readonly value: unknown } {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return { text, value: JSON.parse(text) };
  } catch {
    throw new HttpError("bad-body", "cannot read the body: expected JSON in UTF-8");
  }
}

/** A string, possibly a member name, or a bracket; in valid JSON. */
const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|[{}[\]]/g;

/** A duplicate member name; `JSON.parse` would silently keep the last one. */
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

function complaintsAbout(given: Members, schema: JsonSchema): readonly ParameterComplaint[] {
  const { properties, required } = membersOf(schema);
  const known = Object.keys(properties);
  const complaints: ParameterComplaint[] = [];
  for (const [name, each] of Object.entries(properties)) {
    const value = given[name];
    if (value === undefined && !required.includes(name)) continue;
    const detail = value === undefined ? `${name} is required` : differenceFrom(each, value, name);
    if (detail !== undefined) complaints.push({ parameter: name, detail });
  }
  for (const name of Object.keys(given)) {
    if (known.includes(name)) continue;
    const detail = `no member is called ${quoted(name)}: expected ${known.join(", ")}`;
    complaints.push({ parameter: name.slice(0, 100), detail });
  }
  return complaints;
}
