import { type Schema, TypeWriter } from "./type-text.ts";

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

/**
 * By name what the modules in `src/client/operations` are, one for each operation that programs can
 * ask, besides `shapes.ts` for types of several of them and `all.ts`, which has them all.
 */
export function operationModules({ paths }: ApiDocument): ReadonlyMap<string, string> {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method, path })),
  );
  const offered = operations.filter(isOffered);
  const shapes = new Map<string, string>();
  const exported = new Set<string>();
  const modules = offered.map((operation) => {
    const writer = new TypeWriter();
    const text = operationText(operation, writer);
    for (const [name, shape] of writer.shapes) {
      if ((shapes.get(name) ?? shape) !== shape) throw new Error(`${name} names two types`);
      shapes.set(name, shape);
    }
    const used = [...writer.shapes.keys()].filter((name) => mentions(text, name));
    for (const name of used) exported.add(name);
    return [fileOf(operation), `${HEAD}${importText(used)}${text}`] as const;
  });
  return new Map([
    ["all.ts", HEAD + allText(offered)],
    ["shapes.ts", HEAD + shapesText(shapes, exported)],
    ...modules,
  ]);
}

/** What is there for monitoring, and for tools that speak InfluxDB, is not asked by programs. */
function isOffered({ method, path }: Operation): boolean {
  return path.startsWith("/Api/") && method !== "head";
}

function mentions(text: string, name: string): boolean {
  return new RegExp(`\\b${name}\\b(?!:)`).test(text.replaceAll(/\/\*\*.*\*\//g, ""));
}

function importText(names: readonly string[]): string {
  const sorted = names.toSorted();
  return names.length === 0 ? "" : `import type { ${sorted.join(", ")} } from "./shapes.ts";\n\n`;
}

function shapesText(shapes: ReadonlyMap<string, string>, exported: ReadonlySet<string>): string {
  const sorted = [...shapes].toSorted(([one], [other]) => (one < other ? -1 : 1));
  const texts = sorted.map(
    ([name, text]) => `${exported.has(name) ? "export " : ""}interface ${name} ${text}\n`,
  );
  return texts.join("\n");
}

function allText(operations: readonly Operation[]): string {
  const imports = operations.map(
    (operation) => `import type { ${typeNameOf(operation)} } from "./${fileOf(operation)}";\n`,
  );
  const members = operations.map(
    (operation) =>
      `  /** ${operation.summary}. */\n  readonly ${operation.operationId}: ${typeNameOf(operation)};\n`,
  );
  const table = operations.map(
    ({ operationId, method, path }) =>
      `  ${operationId}: { method: "${method.toUpperCase()}", path: "${path}" },\n`,
  );
  return (
    `${imports.toSorted().join("")}\n/** By operation what it takes and what it answers. */\n` +
    `export interface Operations {\n${members.join("")}}\n\n` +
    `/** By operation how it is asked; \`{name}\` stands for a parameter. */\n` +
    `export const OPERATIONS = {\n${table.join("")}} as const;\n`
  );
}

/** `getLoadTest` is `GetLoadTest` in `get-load-test.ts`. */
function typeNameOf({ operationId }: Operation): string {
  return operationId.charAt(0).toUpperCase() + operationId.slice(1);
}

function fileOf({ operationId }: Operation): string {
  return `${operationId.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.ts`;
}

function operationText(operation: Operation, writer: TypeWriter): string {
  const { summary, parameters } = operation;
  const members = parameters.map(({ name, required, description, schema }) =>
    writer.memberText(
      name,
      { ...schema, description },
      { presence: required ? "required" : "given", indent: "    " },
    ),
  );
  return (
    `/** ${summary}. */\nexport interface ${typeNameOf(operation)} {\n` +
    `  readonly parameters: {${members.length === 0 ? "" : `\n${members.join("")}  `}};\n` +
    `  readonly body${bodyText(operation, writer)};\n` +
    `  readonly answer: ${answerText(operation, writer)};\n}\n`
  );
}

function bodyText({ requestBody }: Operation, writer: TypeWriter): string {
  if (requestBody === undefined) return "?: undefined";
  const schema = requestBody.content["application/json"]?.schema;
  const type = schema === undefined ? `RequestInit["body"]` : writer.typeText(schema, "  ");
  return `${requestBody.required ? "" : "?"}: ${type}`;
}

/** Of all good answers, whatever their status. */
function answerText({ responses }: Operation, writer: TypeWriter): string {
  const types = Object.entries(responses)
    .filter(([status]) => status.startsWith("2"))
    .map(([, { content }]) => contentText(content, writer));
  return [...new Set(types)].join(" | ");
}

function contentText(content: Content | undefined, writer: TypeWriter): string {
  if (content === undefined) return "undefined";
  const schema = content["application/json"]?.schema;
  return schema === undefined ? "string" : writer.typeText(schema, "  ");
}
