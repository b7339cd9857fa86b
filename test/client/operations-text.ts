import { memberText, type Schema, typeText } from "./type-text.ts";

/** What the client needs of the OpenAPI document. */
export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
}

interface DescribedOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters: readonly DescribedParameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

interface DescribedParameter {
  readonly name: string;
  readonly in: string;
  readonly description: string;
  readonly required: boolean;
  readonly schema: Schema;
}

type Content = Readonly<Record<string, { readonly schema?: Schema }>>;

interface Operation extends DescribedOperation {
  readonly method: string;
  readonly path: string;
}

const HEAD = `/** Made of the OpenAPI document of the service by \`npm run client\`: not to be edited. */

`;

/** The module that `src/client/operations.ts` is: what the service can be asked, and how. */
export function operationsText({ paths }: ApiDocument): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method, path })),
  );
  const offered = operations.filter(isOffered);
  const table = offered.map(
    ({ operationId, method, path }) =>
      `  ${operationId}: { method: "${method.toUpperCase()}", path: "${path}" },\n`,
  );
  return (
    `${HEAD}/** By operation what it takes and what it answers. */\n` +
    `export interface Operations {\n${offered.map(operationText).join("")}}\n\n` +
    `/** By operation how it is asked; \`{name}\` stands for a parameter. */\n` +
    `export const OPERATIONS = {\n${table.join("")}} as const;\n`
  );
}

/** What is there for monitoring, and for tools that speak InfluxDB, is not asked by programs. */
function isOffered({ method, path }: Operation): boolean {
  return path.startsWith("/Api/") && method !== "head";
}

function operationText(operation: Operation): string {
  const { operationId, summary, parameters } = operation;
  const members = parameters.map(({ name, required, description, schema }) =>
    memberText(
      name,
      { ...schema, description },
      { presence: required ? "required" : "given", indent: "      " },
    ),
  );
  return (
    `  /** ${summary}. */\n  readonly ${operationId}: {\n` +
    `    readonly parameters: {${members.length === 0 ? "" : `\n${members.join("")}    `}};\n` +
    `    readonly body${bodyText(operation)};\n    readonly answer: ${answerText(operation)};\n  };\n`
  );
}

function bodyText({ requestBody }: Operation): string {
  if (requestBody === undefined) return "?: undefined";
  const schema = requestBody.content["application/json"]?.schema;
  const type = schema === undefined ? `RequestInit["body"]` : typeText(schema, "    ");
  return `${requestBody.required ? "" : "?"}: ${type}`;
}

/** Of all good answers, whatever their status. */
function answerText({ responses }: Operation): string {
  const types = Object.entries(responses)
    .filter(([status]) => status.startsWith("2"))
    .map(([, { content }]) => contentText(content));
  return [...new Set(types)].join(" | ");
}

function contentText(content: Content | undefined): string {
  if (content === undefined) return "undefined";
  const schema = content["application/json"]?.schema;
  return schema === undefined ? "string" : typeText(schema, "    ");
}
