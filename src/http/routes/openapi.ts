import { THRESHOLDS } from "../../api/thresholds.ts";
import { JSON_CONTENT_TYPE, jsonResponse, type Route, textResponse } from "../route.ts";

/** `GET /openapi.json`; `document` is called per request, once all routes are known. */
export function createOpenApiRoute(document: () => string): Route {
  return {
    method: "GET",
    path: "/openapi.json",
    operationId: "getOpenApi",
    summary: "This description",
    description: "OpenAPI 3.1, generated from the definitions that validate requests.",
    scope: undefined,
    parameters: [],
    mediaType: "application/json",
    schema: { type: "object", required: ["openapi", "info", "paths"] },
    errors: ["busy"],
    handle: async () =>
      textResponse(document(), { contentType: JSON_CONTENT_TYPE, isCacheable: true }),
  };
}

/** `GET /thresholds.schema.json`. */
export const thresholdsSchemaRoute: Route = {
  method: "GET",
  path: "/thresholds.schema.json",
  operationId: "getThresholdsSchema",
  summary: "JSON Schema of a thresholds file",
  description: "For editors, which complete and check a thresholds.yaml by it.",
  scope: undefined,
  parameters: [],
  mediaType: "application/json",
  schema: { type: "object", required: ["$schema", "type", "properties"] },
  errors: ["busy"],
  handle: async () =>
    jsonResponse(
      { $schema: "https://json-schema.org/draft/2020-12/schema", ...THRESHOLDS },
      { isCacheable: true },
    ),
};
