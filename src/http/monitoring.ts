import { Counter, Histogram, Registry, collectDefaultMetrics } from "prom-client";
import type { ClosedFor } from "./connections.ts";
import type { LineWriteReport } from "../live/write-lines.ts";

export type Monitoring = ReturnType<typeof createMonitoring>;

type WrittenLines = Pick<LineWriteReport, "recorded" | "rejected" | "measured" | "isRepeated">;

interface AnswerLabels {
  readonly route: string;
  readonly method: string;
  readonly status: number;
}

/** Seconds; from a cached response to a large one for a slow reader. */
const DURATION_BUCKETS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
];

/** Metrics of the server itself, in Prometheus text format. */
export function createMonitoring() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = new Counter({
    name: "tachograph_http_requests_total",
    help: "Responses by operation, method and status.",
    labelNames: ["route", "method", "status"],
    registers: [registry],
  });
  const durations = new Histogram({
    name: "tachograph_http_request_duration_seconds",
    help: "Time from the headers of a request to the last byte of its response.",
    labelNames: ["route"],
    buckets: DURATION_BUCKETS,
    registers: [registry],
  });
  const lines = new Counter({
    name: "tachograph_lines_total",
    help:
      "Line protocol: samples recorded, duplicate samples, rejected lines, points of other " +
      "measurements, stored as measures.",
    labelNames: ["outcome"],
    registers: [registry],
  });
  const closedConnections = new Counter({
    name: "tachograph_connections_closed_total",
    help: "Connections closed because of a limit, by setting.",
    labelNames: ["limit"],
    registers: [registry],
  });
  const auditFailures = new Counter({
    name: "tachograph_audit_failures_total",
    help: "Changes that could not be written to the audit log.",
    registers: [registry],
  });
  return {
    connectionClosed: (limit: ClosedFor) => closedConnections.inc({ limit }),
    /** Counts a change that is missing in the audit log. */
    auditFailed: () => auditFailures.inc(),
    linesWritten({ recorded, rejected, measured, isRepeated }: WrittenLines): void {
      lines.inc({ outcome: isRepeated ? "repeated" : "recorded" }, recorded);
      lines.inc({ outcome: "rejected" }, rejected);
      lines.inc({ outcome: "measures" }, measured);
    },
    /** Counts a response; `route` is the operation's name, never client input. */
    counted({ route, method, status }: AnswerLabels, seconds: number): void {
      requests.inc({ route, method, status: String(status) });
      durations.observe({ route }, seconds);
    },
    contentType: registry.contentType,
    render: () => registry.metrics(),
    close: () => registry.clear(),
  };
}
