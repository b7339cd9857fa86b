import type { FormatAbout } from "../format-about.ts";

const COMMON = { tool: "OpenTelemetry", unrecorded: ["sizes", "users"] } as const;

export const OTLP: readonly FormatAbout[] = [
  {
    ...COMMON,
    name: "otlp-spans",
    details: "trace and span, method, URL, thread, sizes, headers, and exceptions of events",
    row: {
      tool: "Locust, [Artillery](artillery.md)",
      record: "[OpenTelemetry](../server-metrics.md#locust)",
      failures: "status",
      live: "network",
    },
    refusals: [
      {
        what: "OpenTelemetry metrics",
        signs: [/^\{\s*"resource_?[mM]etrics"/],
        cure: "they are totals of intervals: record with k6 --out csv=FILE, or another output of your tool",
      },
    ],
  },
  { ...COMMON, name: "otlp-tool-histogram" },
  { ...COMMON, name: "otlp-client-histogram" },
];
