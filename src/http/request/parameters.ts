import { facetOptionsOf } from "../../import/decode-settings.ts";
import type { FacetLimits } from "../../model/series/facets.ts";
import { type ParameterComplaint, quoted } from "../response/http-error.ts";
import type { QueryField } from "./request-target.ts";

export interface Parameter {
  /** Case-sensitive, except for headers, whose names are in lower case here. */
  readonly name: string;
  /** @default "query" */
  readonly in?: "query" | "path" | "header";
  readonly description: string;
  /** @default false */
  readonly required?: boolean;
  readonly schema: ParameterSchema;
  /** Whether it may be given several times: the same as one list of all, separated by commas. */
  readonly isList?: true;
  /** The schema's pattern, or the unit of an integer, in words. */
  readonly form?: string;
  readonly example?: string | number;
}

/** The subset of JSON Schema that parameters use. */
type ParameterSchema =
  | { readonly type: "string"; readonly minLength: 0 | 1; readonly pattern?: string }
  | { readonly type: "string"; readonly enum: readonly string[]; readonly default?: string }
  | {
      readonly type: "integer";
      readonly minimum: number;
      readonly maximum: number;
      readonly default?: number;
    };

/** An optional query parameter that is any text but an empty one. */
export function textParameter(name: string, description: string, example?: string): Parameter {
  return { name, description, schema: TEXT, ...(example === undefined ? {} : { example }) };
}

/** A part of the path. */
export function pathParameter(name: string, description: string, example?: string): Parameter {
  return { ...textParameter(name, description, example), in: "path", required: true };
}

/** An optional query parameter that is a whole number, by inclusive bounds. */
export function integerParameter(
  name: string,
  description: string,
  bounds: Omit<Extract<ParameterSchema, { readonly type: "integer" }>, "type">,
): Parameter {
  return { name, description, schema: { type: "integer", ...bounds } };
}

const TEXT = { type: "string", minLength: 1 } as const;

/** A query parameter `true` or `false`; default `false`. */
export function flagParameter(name: string, description: string): Parameter {
  const schema = { type: "string", enum: ["false", "true"], default: "false" } as const;
  return { name, description, schema };
}

/** Validated parameters; those not sent are absent. */
export type ParameterValues = ReadonlyMap<string, string>;

export interface ParameterSources {
  readonly query: readonly QueryField[];
  readonly path: Readonly<Record<string, string | undefined>>;
  /** All values of a header (lower-case name), in order. */
  readonly header: (name: string) => readonly string[];
}

/** Validates the parameters of a request. Unknown names are ignored. */
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
    // Rules across parameters must know that a value was sent, even an invalid one.
    if (value !== undefined) values.set(name, value);
  }
  return { values, complaints };
}

function givenValues({ query, path, header }: ParameterSources, parameter: Parameter): string[] {
  const { name } = parameter;
  if (parameter.in === "path") return [path[name] ?? ""];
  if (parameter.in === "header") return [...header(name)];
  const given = query.filter((field) => field.name === name).map((field) => field.value);
  return parameter.isList === true && given.length > 1 ? [given.join()] : given;
}

function complaintAbout(
  { name, required = false, schema, form }: Parameter,
  given: readonly string[],
): string | undefined {
  const [value] = given;
  if (value === undefined) return required ? `${name} is required` : undefined;
  if (given.length > 1) return `${name} was given ${given.length} times, expected once`;
  if ("enum" in schema) {
    const known = schema.enum.includes(value);
    return known ? undefined : expected(name, schema.enum.join(", "), value);
  }
  if (value === "") return isEmptyAllowed(schema) ? undefined : `${name} is empty`;
  return complaintAboutText(name, schema, { form, value });
}

function isEmptyAllowed(schema: ParameterSchema): boolean {
  return "minLength" in schema && schema.minLength === 0;
}

function complaintAboutText(
  name: string,
  schema: Exclude<ParameterSchema, { readonly enum: readonly string[] }>,
  { form, value }: { readonly form: string | undefined; readonly value: string },
): string | undefined {
  if (schema.type === "integer") {
    const { minimum, maximum } = schema;
    const want = `a whole number from ${minimum} to ${maximum}`;
    const number = /^\d{1,15}$/.test(value) ? Number(value) : -1;
    const isWithin = number >= minimum && number <= maximum;
    return isWithin ? undefined : expected(name, [form ?? [], want].flat().join(", "), value);
  }
  const fits = schema.pattern === undefined || new RegExp(schema.pattern).test(value);
  return fits ? undefined : expected(name, form ?? "another text", value);
}

function expected(name: string, want: string, got: string): string {
  return `${name}: expected ${want}, got ${quoted(got)}`;
}

/** Which tags in the data become facets. */
export const FACET_PARAMETERS: readonly Parameter[] = [
  {
    ...textParameter(
      "facet",
      "Additional tags, columns or attributes to use as facets: at most 8 names, separated by commas or repeated.",
      "region",
    ),
    isList: true,
  },
  flagParameter("noFacets", "Whether to leave out the default facets of the format."),
];

/** The same as headers, for senders that cannot add to the address. */
export const FACET_HEADERS: readonly Parameter[] = FACET_PARAMETERS.map((parameter) => ({
  ...parameter,
  name: headerOf(parameter.name),
  in: "header",
}));

/** Throws `bad-parameter`. */
export function facetOptionsIn(
  values: ParameterValues,
  limits: FacetLimits,
): ReturnType<typeof facetOptionsOf> {
  const valueOf = (name: string) => values.get(name) ?? values.get(headerOf(name));
  return facetOptionsOf(valueOf("facet")?.split(","), valueOf("noFacets") === "true", limits);
}

function headerOf(name: string): string {
  return `x-${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
