import type { Monitoring } from "../monitoring.ts";
import { type Route, textResponse } from "../route.ts";

/** `GET /metrics`. Needs no key: it names no load test, label or key, and scrapers seldom send one. */
export function createPrometheusRoute(monitoring: Monitoring): Route {
  return {
    method: "GET",
    path: "/metrics",
    operationId: "getProcessMetrics",
    summary: "Metrics of this process, for Prometheus",
    description: "Requests, durations, event-loop delay and memory. Needs no key.",
    scope: undefined,
    parameters: [],
    mediaType: "text/plain",
    schema: { type: "string" },
    errors: [],
    async handle() {
      const { contentType } = monitoring;
      return textResponse(await monitoring.render(), { contentType, isCacheable: false });
    },
  };
}
