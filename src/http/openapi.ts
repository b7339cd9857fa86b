import type { ErrorCode } from "../model/errors.ts";
import { type HttpErrorCode, statusAndTitle } from "./response/http-error.ts";
import type { KeyReader } from "./key-reader.ts";
import type { Parameter } from "./request/parameters.ts";
import { PROBLEM_FORM } from "./response/problem.ts";
import type { BodyPlan, Route } from "./route.ts";
import { TEXT } from "../api/parts.ts";
import { about, type JsonSchema, list, object, optional } from "../api/schema.ts";

type Code = ErrorCode | HttpErrorCode;

/** Errors of every route, raised before the route is reached. */
const COMMON_ERRORS: readonly Code[] = [
  "malformed-request",
  "duplicate-header",
  "bad-encoding",
  "not-acceptable",
  "request-timeout",
  "address-too-long",
  "foreign-host",
  "headers-too-large",
  "internal-error",
];

/** Errors of the key, and of limits on simultaneous requests and large responses. */
function keyErrorsOf({ scope }: Route): readonly Code[] {
  if (scope === undefined) return [];
  const refusals = ["unauthorized", "unknown-link", "too-many-failed-keys", "busy"] as const;
  return scope === "any" ? refusals : [...refusals, "missing-scope"];
}

const BODY_ERRORS: readonly Code[] = [
  "bad-body",
  "body-incomplete",
  "length-required",
  "body-too-large",
  "unsupported-media-type",
];

interface DocumentParts {
  readonly version: string;
  readonly basePath: string;
  /** For routes without their own. */
  readonly keyReader: KeyReader;
}

/** The OpenAPI 3.1 document of `routes`, as it is served at `/openapi.json`. */
export function createOpenApi(
  routes: readonly Route[],
  { version, basePath, keyReader }: DocumentParts,
): JsonSchema {
  const readers = routes.map((route) => route.keyReader ?? keyReader);
  const components = createComponents({ Problem: PROBLEM_SCHEMA });
  const paths = describePaths(routes, keyReader, components.refer);
  return {
    openapi: "3.1.0",
    info: {
      title: "Tachograph",
      version,
      description:
        "A results server for load tests: statistics, comparisons and metrics of test runs. Paths " +
        "are case-insensitive. Every GET also supports HEAD; OPTIONS needs no key.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: basePath === "" ? "/" : basePath }],
    paths,
    components: {
      securitySchemes: Object.assign({}, ...readers.map(({ schemes }) => schemes)),
      schemas: components.schemas,
    },
  };
}

const PROBLEM_SCHEMA = about(
  object({
    type: { type: "string", pattern: "^urn:tachograph:error:[a-z0-9-]+$" },
    title: TEXT,
    status: { type: "integer", minimum: 400, maximum: 599 },
    detail: TEXT,
    instance: about(
      { type: "string", pattern: "^urn:uuid:[0-9a-f-]{36}$" },
      "The request's id, as in the header `X-Request-Id` and in the server's log.",
    ),
    errors: optional(
      list(object({ parameter: TEXT, detail: TEXT })),
      "The rejected parameters or members of the body.",
    ),
    labels: optional(
      list(TEXT),
      "For `too-many-labels`: the labels of the batch that exceed the limit.",
    ),
    labelsMax: optional(
      { type: "integer", minimum: 1 },
      "For `too-many-labels`: the maximum number of labels per load test.",
    ),
  }),
  "An error (RFC 9457).",
);

/** Replaces a schema by a reference to a component; one without a title is called `name`. */
type Refer = (schema: JsonSchema, name: string) => JsonSchema;

function describePaths(routes: readonly Route[], keyReader: KeyReader, refer: Refer): JsonSchema {
  const paths = new Map<string, JsonSchema>();
  for (const route of routes.filter(({ isDescribed }) => isDescribed !== false)) {
    const schemes = Object.keys((route.keyReader ?? keyReader).schemes);
    const security = route.scope === undefined ? [] : schemes.map((name) => ({ [name]: [] }));
    paths.set(route.path, { ...paths.get(route.path), ...describeRoute(route, security, refer) });
  }
  return Object.fromEntries(paths);
}

function describeRoute(route: Route, security: readonly JsonSchema[], refer: Refer): JsonSchema {
  const { operationId, summary, description, body, method, path } = route;
  const parameters = (route.parameters ?? []).map((parameter) =>
    describeParameter(parameter, refer),
  );
  const name = `${operationId[0]?.toUpperCase() ?? ""}${operationId.slice(1)}`;
  const requestBody =
    body === undefined ? {} : { requestBody: describeBody(body, (given) => refer(given, name)) };
  const responses = describeResponses(route, (given) => refer(given, `${name}Response`));
  const tags = [/^\/Api\/(\w+)/.exec(path)?.[1] ?? "Service"];
  return {
    [method.toLowerCase()]: {
      operationId,
      tags,
      summary,
      description,
      security,
      parameters,
      ...requestBody,
      responses,
    },
  };
}

type ReferUnnamed = (schema: JsonSchema) => JsonSchema;

function describeParameter(parameter: Parameter, refer: Refer): JsonSchema {
  const { name, description, required = false, schema, example } = parameter;
  const more = example === undefined ? {} : { example };
  return {
    name,
    in: parameter.in ?? "query",
    description,
    required,
    schema: refer(schema, name),
    ...more,
  };
}

/** Any type is accepted; generators of clients know this one. */
const BYTES = "application/octet-stream";
const ANY_BYTES = { type: "string", format: "binary" };

function describeBody(plan: BodyPlan, refer: ReferUnnamed): JsonSchema {
  const required = plan.isOptional !== true;
  if (plan.kind === "members") {
    return { required, content: { "application/json": { schema: refer(plan.schema) } } };
  }
  return { description: plan.description, required, content: { [BYTES]: { schema: ANY_BYTES } } };
}

function describeResponses(route: Route, refer: ReferUnnamed): Record<string, JsonSchema> {
  const responses: Record<string, JsonSchema> = {};
  const { mediaType = "application/json", schema = {}, csv } = route;
  const other = csv === undefined ? {} : { "text/csv": { schema: TEXT } };
  for (const status of route.statuses ?? [200]) {
    responses[status] = {
      description: route.summary,
      headers: { "X-Request-Id": { schema: { type: "string" } } },
      ...(status === 204 ? {} : { content: { [mediaType]: { schema: refer(schema) }, ...other } }),
    };
  }
  if (route.method === "GET") {
    responses["304"] = { description: "The response named in `If-None-Match` is still current." };
  }
  for (const [status, codes] of codesByStatus(route)) {
    responses[status] = {
      description: codes.map((code) => `${statusAndTitle(code).title} (${code}).`).join(" "),
      content: describeError(route),
    };
  }
  return responses;
}

function codesByStatus(route: Route): readonly (readonly [number, Code[]])[] {
  const bodyErrors: readonly Code[] = route.body === undefined ? ["unexpected-body"] : BODY_ERRORS;
  const own = [...(route.errors ?? []), ...keyErrorsOf(route), ...COMMON_ERRORS, ...bodyErrors];
  const byStatus = Map.groupBy(new Set(own), (code) => statusAndTitle(code).status);
  return [...byStatus].toSorted(([left], [right]) => left - right);
}

/** Errors raised before the route is known have the common format, whatever the route's own is. */
function describeError({ errorForm }: Route): JsonSchema {
  return {
    [PROBLEM_FORM.mediaType]: { schema: PROBLEM_FORM.schema },
    ...(errorForm === undefined ? {} : { [errorForm.mediaType]: { schema: errorForm.schema } }),
  };
}

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

function createComponents(schemas: Record<string, JsonSchema>): Components {
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
  const { title: __, ...members } = second;
  return { ...members, ...own, type: ["object", "null"] };
}

/** A description may say what the value is in its place. */
function shapeOf(schema: JsonSchema): string {
  return JSON.stringify({ ...schema, description: undefined });
}
