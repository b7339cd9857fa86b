import type { ErrorCode } from "../model/errors.ts";
import { type HttpErrorCode, statusAndTitle } from "./http-error.ts";
import type { Parameter } from "./parameters.ts";
import { PROBLEM_CONTENT_TYPE, problemType } from "./problem.ts";
import type { JsonSchema, Route } from "./route.ts";

type Code = ErrorCode | HttpErrorCode;

/** What any route may answer, because it is decided before the route is reached. */
const COMMON_ERRORS: readonly Code[] = [
  "malformed-request",
  "duplicate-header",
  "bad-encoding",
  "not-acceptable",
  "request-timeout",
  "unexpected-body",
  "address-too-long",
  "foreign-host",
  "headers-too-large",
  "internal-error",
];

const KEY_ERRORS: readonly Code[] = ["unauthorized", "missing-scope"];

/** The OpenAPI 3.1 document of `routes`, as it is served at `/openapi.json`. */
export function createOpenApi(
  routes: readonly Route[],
  { version, basePath }: { readonly version: string; readonly basePath: string },
): JsonSchema {
  return {
    openapi: "3.1.0",
    info: {
      title: "Tachograph",
      version,
      description:
        "Keeps what load tests measured and gives it back per endpoint and per second. Paths are " +
        "matched without regard to letter case. Every GET answers HEAD too; OPTIONS needs no key.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: basePath === "" ? "/" : basePath }],
    paths: Object.fromEntries(routes.map((route) => [route.path, describePath(route)])),
    components: {
      securitySchemes: {
        key: {
          type: "apiKey",
          in: "header",
          name: "X-Service-Auth",
          description: "A key made with `tachograph keys create`.",
        },
      },
      schemas: { Problem: PROBLEM_SCHEMA },
    },
  };
}

const PROBLEM_SCHEMA: JsonSchema = {
  type: "object",
  description: "An error (RFC 9457).",
  properties: {
    type: { type: "string", pattern: "^urn:tachograph:error:[a-z0-9-]+$" },
    title: { type: "string" },
    status: { type: "integer", minimum: 400, maximum: 599 },
    detail: { type: "string" },
    instance: {
      type: "string",
      pattern: "^urn:uuid:[0-9a-f-]{36}$",
      description: "The request's id, as in the header `X-Request-Id` and in the server's log.",
    },
    errors: {
      type: "array",
      description: "Each parameter that was refused.",
      items: {
        type: "object",
        properties: { parameter: { type: "string" }, detail: { type: "string" } },
        required: ["parameter", "detail"],
        additionalProperties: false,
      },
    },
  },
  required: ["type", "title", "status", "detail", "instance"],
  additionalProperties: false,
};

function describePath(route: Route): JsonSchema {
  const { operationId, summary, description, scope } = route;
  const common = {
    summary,
    description,
    security: scope === undefined ? [] : [{ key: [] }],
    parameters: route.parameters.map(describeParameter),
  };
  return {
    get: { operationId, ...common, responses: describeResponses(route) },
    head: {
      operationId: `${operationId}Head`,
      ...common,
      responses: withoutContent(describeResponses(route)),
    },
  };
}

function describeParameter(parameter: Parameter): JsonSchema {
  const { name, description, required, schema, example } = parameter;
  const optional = example === undefined ? {} : { example };
  return { name, in: "query", description, required, schema, ...optional };
}

function describeResponses(route: Route): Record<string, JsonSchema> {
  const keyErrors = route.scope === undefined ? [] : KEY_ERRORS;
  const byStatus = new Map<number, Code[]>();
  for (const code of new Set([...route.errors, ...keyErrors, ...COMMON_ERRORS])) {
    const { status } = statusAndTitle(code);
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const responses: Record<string, JsonSchema> = {
    200: {
      description: route.summary,
      headers: { "X-Request-Id": { schema: { type: "string" } } },
      content: { [route.mediaType]: { schema: route.schema } },
    },
  };
  if (route.scope !== undefined) {
    responses["304"] = { description: "The answer that `If-None-Match` names is still right." };
  }
  for (const [status, codes] of [...byStatus].toSorted(([left], [right]) => left - right)) {
    responses[status] = {
      description: codes.map((code) => `${statusAndTitle(code).title} (${code}).`).join(" "),
      content: { [PROBLEM_CONTENT_TYPE]: { schema: problemOfCodes(codes) } },
    };
  }
  return responses;
}

function problemOfCodes(codes: readonly Code[]): JsonSchema {
  return {
    $ref: "#/components/schemas/Problem",
    properties: { type: { enum: codes.map(problemType) } },
  };
}

function withoutContent(responses: Record<string, JsonSchema>): Record<string, JsonSchema> {
  return Object.fromEntries(
    Object.entries(responses).map(([status, { description, headers }]) => [
      status,
      { description, ...(headers === undefined ? {} : { headers }) },
    ]),
  );
}
