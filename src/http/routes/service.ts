import { object } from "../../api/schema.ts";
import { type Route, jsonResponse, textResponse, JSON_CONTENT_TYPE } from "../route.ts";
import type { Monitoring } from "../monitoring.ts";
import { THRESHOLDS } from "../../api/thresholds.ts";

const OK = jsonResponse({ status: "ok" });

const COMMON = {
  method: "GET",
  scope: undefined,
  schema: object({ status: { const: "ok" } }),
} as const;

/** Liveness: the process runs. */
export const liveRoute: Route = {
  ...COMMON,
  path: "/health/live",
  operationId: "getLiveness",
  summary: "Whether the process runs",
  description: "Succeeds while the process runs.",
  handle: async () => OK,
};

/** Readiness: the store can be read. `expectReady` throws `not-ready`. */
export function createReadyRoute(expectReady: () => Promise<void>): Route {
  return {
    ...COMMON,
    path: "/health/ready",
    operationId: "getReadiness",
    summary: "Whether the server is ready",
    description: "Fails during shutdown and while the store is unreadable.",
    errors: ["not-ready"],
    async handle() {
      await expectReady();
      return OK;
    },
  };
}

/** `GET /metrics`. Needs no key: it names no load test, label or key, and scrapers seldom send one. */
export function createPrometheusRoute(monitoring: Monitoring): Route {
  return {
    method: "GET",
    path: "/metrics",
    operationId: "getProcessMetrics",
    summary: "Metrics of this process, for Prometheus",
    description: "Requests, durations, event-loop delay and memory. Needs no key.",
    scope: undefined,
    mediaType: "text/plain",
    schema: { type: "string" },
    async handle() {
      const { contentType } = monitoring;
      return textResponse(await monitoring.render(), { contentType });
    },
  };
}

/** `GET /openapi.json`; `document` is called per request, once all routes are known. */
export function createOpenApiRoute(document: () => string): Route {
  return {
    method: "GET",
    path: "/openapi.json",
    operationId: "getOpenApi",
    summary: "This description",
    description: "OpenAPI 3.1, generated from the definitions that validate requests.",
    scope: undefined,
    schema: { type: "object", required: ["openapi", "info", "paths"] },
    errors: ["busy"],
    handle: async () =>
      textResponse(document(), { contentType: JSON_CONTENT_TYPE, isCacheable: true }),
  };
}

export const thresholdsSchemaRoute: Route = {
  method: "GET",
  path: "/thresholds.schema.json",
  operationId: "getThresholdsSchema",
  summary: "JSON Schema of a thresholds file",
  description: "For editors, which complete and check a thresholds.yaml by it.",
  scope: undefined,
  schema: { type: "object", required: ["$schema", "type", "properties"] },
  errors: ["busy"],
  handle: async () =>
    jsonResponse(
      { $schema: "https://json-schema.org/draft/2020-12/schema", ...THRESHOLDS },
      { isCacheable: true },
    ),
};
