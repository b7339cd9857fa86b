/** Compares responses with the OpenAPI document of the server. */

import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";

export interface ApiDocument {
  readonly components: {
    readonly schemas: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

export interface Operation {
  readonly operationId: string;
  readonly parameters: readonly OperationParameter[];
  readonly security: readonly unknown[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { schema?: BodySchema }>> };
  readonly responses: Readonly<Record<string, DescribedResponse>>;
}

export interface OperationParameter {
  readonly name: string;
  readonly in: "query" | "path" | "header";
  readonly required: boolean;
  readonly schema: ParameterSchema;
  readonly example?: string;
}

export interface ParameterSchema {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: ParameterSchema;
}

interface BodySchema {
  readonly properties: Readonly<Record<string, ParameterSchema>>;
}

interface DescribedResponse {
  readonly description: string;
  readonly content?: Readonly<Record<string, { readonly schema: object }>>;
}

export interface GivenAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** Returns the differences between a response and its description; empty if there are none. */
export type AnswerCheck = (path: string, method: string, answer: GivenAnswer) => unknown;

export function createAnswerCheck(document: ApiDocument): AnswerCheck {
  // Every schema includes the components, so that its references resolve.
  const ajv = new Ajv2020({
    strictTypes: false,
    strictTuples: false,
    formats: {
      "date-time": (text: string) => new Date(text).toISOString() === text,
      int64: true,
      binary: true,
      date: (text: string) => new Date(text).toISOString().slice(0, 10) === text,
    },
  }).addKeyword("components");
  const compiled = new Map<object, ValidateFunction>();
  const complaintsAbout = (schema: object | undefined, value: unknown): unknown => {
    if (schema === undefined) return "media type not described";
    const known = compiled.get(schema);
    const validate = known ?? ajv.compile({ components: document.components, ...schema });
    compiled.set(schema, validate);
    return validate(value) ? [] : validate.errors;
  };
  return (path, method, { status, contentType, body }) => {
    const described = responseOf(document, path, method, status);
    if (described === undefined) return "not described";
    const { content } = described;
    if (body === "") return Object.keys(content);
    const mediaType = contentType.replace(/;.*/, "");
    const value: unknown = mediaType.endsWith("json") ? JSON.parse(body) : body;
    if (mediaType === "application/problem+json" && !isDescribed(value, described.description)) {
      return "error not described";
    }
    return complaintsAbout(content[mediaType]?.schema, value);
  };
}

/** Every GET also supports HEAD, which is not described apart and has no content. */
function responseOf(document: ApiDocument, path: string, method: string, status: number) {
  const operation = document.paths[path]?.[method === "head" ? "get" : method];
  const described = operation?.responses[status];
  if (described === undefined) return undefined;
  const content = method === "head" ? {} : (described.content ?? {});
  return { description: described.description, content };
}

function isDescribed(problem: unknown, description: string): boolean {
  const code = (problem as { readonly type: string }).type.split(":").at(-1);
  return description.includes(`(${code}).`);
}
