import { JSON_CONTENT_TYPE, type Route, wholeAnswer } from "../route.ts";

/** `GET /openapi.json`; `document` is asked for at each request, after all routes are known. */
export function createOpenApiRoute(document: () => string): Route {
  return {
    method: "GET",
    path: "/openapi.json",
    operationId: "getOpenApi",
    summary: "This description",
    description: "OpenAPI 3.1, made from the definitions that requests are checked with.",
    scope: undefined,
    parameters: [],
    mediaType: "application/json",
    schema: { type: "object", required: ["openapi", "info", "paths"] },
    errors: ["busy"],
    handle: async () => wholeAnswer(document(), { contentType: JSON_CONTENT_TYPE, isKept: true }),
  };
}
