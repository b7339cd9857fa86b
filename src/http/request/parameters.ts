import type { ParameterComplaint } from "../response/http-error.ts";
import { quoted } from "../response/http-error.ts";
import type { QueryField } from "./request-target.ts";

/** A parameter: what is checked, and what the OpenAPI document says. */
export interface Parameter {
  /** Case matters, but in a header, where the name is in lower case here. */
  readonly name: string;
  /** Where it stands. @default "query" */
  readonly in?: "query" | "path" | "header";
  readonly description: string;
  readonly required: boolean;
  readonly schema: ParameterSchema;
  /** What the pattern of the schema stands for, in words. */
  readonly form?: string;
  readonly example?: string | number;
}

/** The part of JSON Schema that parameters need, as it stands in the OpenAPI document. */
type ParameterSchema =
  | { readonly type: "string"; readonly minLength: 1; readonly pattern?: string }
  | { readonly type: "string"; readonly enum: readonly string[]; readonly default?: string }
  | {
      readonly type: "integer";
      readonly minimum: number;
      readonly maximum: number;
      readonly default?: number;
    };

/** A parameter of the query that is `true` or `false`, and `false` where it is not given. */
export function flagParameter(name: string, description: string): Parameter {
  const schema = { type: "string", enum: ["false", "true"], default: "false" } as const;
  return { name, description, required: false, schema };
}

/** Parameters that were given once and are right; those not given are absent. */
export type ParameterValues = ReadonlyMap<string, string>;

/** Where parameters are looked for. */
export interface ParameterSources {
  readonly query: readonly QueryField[];
  readonly path: Readonly<Record<string, string | undefined>>;
  /** Every value of a header (lower case), in order. */
  readonly header: (name: string) => readonly string[];
}

/** What a request holds, measured by the definitions. Names not defined are ignored. */
export function readParameters(
  sources: ParameterSources,
  definitions: readonly Parameter[],
): { readonly values: ParameterValues; readonly complaints: readonly ParameterComplaint[] } {
  const values = new Map<string, string>();
  const complaints: ParameterComplaint[] = [];
  for (const definition of definitions) {
    const { name } = definition;
    const given = givenValues(sources, definition);
    const detail = complaintAbout(definition, given);
    const [value] = given;
    if (detail !== undefined) complaints.push({ parameter: name, detail });
    // A wrong value is kept out of sight, but later rules must know that something was given.
    if (value !== undefined) values.set(name, value);
  }
  return { values, complaints };
}

function givenValues({ query, path, header }: ParameterSources, parameter: Parameter): string[] {
  const { name } = parameter;
  if (parameter.in === "path") return [path[name] ?? ""];
  if (parameter.in === "header") return [...header(name)];
  return query.filter((field) => field.name === name).map((field) => field.value);
}

function complaintAbout(
  { name, required, schema, form }: Parameter,
  given: readonly string[],
): string | undefined {
  const [value] = given;
  if (value === undefined) return required ? `${name} is required` : undefined;
  if (given.length > 1) return `${name} was given ${given.length} times, expected once`;
  if ("enum" in schema) {
    const known = schema.enum.includes(value);
    return known ? undefined : expected(name, schema.enum.join(", "), value);
  }
  if (value === "") return `${name} is empty`;
  if (schema.type === "integer") return complaintAboutInteger(name, schema, value);
  const fits = schema.pattern === undefined || new RegExp(schema.pattern).test(value);
  return fits ? undefined : expected(name, form ?? "another text", value);
}

function complaintAboutInteger(
  name: string,
  { minimum, maximum }: { readonly minimum: number; readonly maximum: number },
  value: string,
): string | undefined {
  const number = /^\d{1,15}$/.test(value) ? Number(value) : -1;
  if (number >= minimum && number <= maximum) return undefined;
  return expected(name, `a whole number from ${minimum} to ${maximum}`, value);
}

function expected(name: string, want: string, got: string): string {
  return `${name}: expected ${want}, got ${quoted(got)}`;
}
