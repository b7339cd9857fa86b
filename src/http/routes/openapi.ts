import { JSON_CONTENT_TYPE, type Route, textResponse } from "../route.ts";

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
