import type { MetricsAnswer, MetricsQuery } from "../../operations/read-metrics.ts";
import { METRICS_FORMATS, type MetricsFormat } from "../../render/renderer.ts";
import type { ParameterComplaint } from "../http-error.ts";
import type { Parameter, ParameterValues } from "../parameters.ts";
import type { Route } from "../route.ts";
import { METRICS_SCHEMA } from "./metrics-schema.ts";

const SECONDS_MAX = 2 ** 32 - 1;

const PARAMETERS: readonly Parameter[] = [
  {
    name: "loadTestId",
    description: "Identifies the load test.",
    required: true,
    schema: { type: "string", minLength: 1 },
    example: "1848363530240",
  },
  {
    name: "filter",
    description:
      "Text that the label contains, letter case included; no character has a special meaning. " +
      "Either `filter` or `hash` must be given.",
    required: false,
    schema: { type: "string", minLength: 1 },
    example: "/checkout",
  },
  {
    name: "hash",
    description:
      "SHA-1 of the label's UTF-8 bytes, 40 hex digits in either case. The answer then holds at " +
      "most one item. Either `filter` or `hash` must be given.",
    required: false,
    schema: { type: "string", minLength: 1, pattern: "^[0-9A-Fa-f]{40}$" },
    form: "40 hex digits",
  },
  {
    name: "format",
    description: "Form of each item's `data`.",
    required: false,
    schema: { type: "string", enum: METRICS_FORMATS, default: "default" },
  },
  {
    name: "from",
    description: "Leaves out data points before this UNIX second.",
    required: false,
    schema: { type: "integer", minimum: 0, maximum: SECONDS_MAX },
  },
  {
    name: "until",
    description: "Leaves out data points from this UNIX second on.",
    required: false,
    schema: { type: "integer", minimum: 0, maximum: SECONDS_MAX + 1 },
  },
  {
    name: "resolution",
    description: "Seconds merged into one data point; points begin at multiples of it.",
    required: false,
    schema: { type: "integer", minimum: 1, maximum: SECONDS_MAX, default: 1 },
  },
];

/** `GET /Api/Metrics`, the operation of the specification. */
export function createMetricsRoute(
  openMetrics: (query: MetricsQuery) => Promise<MetricsAnswer>,
): Route {
  return {
    method: "GET",
    path: "/Api/Metrics",
    operationId: "getMetrics",
    summary: "Metrics of a load test, by endpoint and second",
    description:
      "Returns one item for each endpoint whose label contains `filter`, or the endpoint with " +
      "this `hash`; `[]` where nothing matches. Parameters not listed here are ignored.",
    scope: "read",
    parameters: PARAMETERS,
    check: checkTogether,
    mediaType: "application/json",
    schema: METRICS_SCHEMA,
    errors: ["bad-parameter", "unknown-load-test", "sum-too-large", "damaged-store"],
    async handle(values) {
      const query = queryOf(values);
      const answer = await openMetrics(query);
      return {
        contentType: "application/json; charset=utf-8",
        headers: {},
        tagParts: [WRITTEN_FORM, answer.revision, JSON.stringify(query)],
        pieces: () => answer.pieces(),
        release: () => answer.release(),
      };
    },
  };
}

/** To be changed whenever the same data are written differently, so that no cache keeps the old. */
const WRITTEN_FORM = "1";

function checkTogether(values: ParameterValues): readonly ParameterComplaint[] {
  const complaints: ParameterComplaint[] = [];
  const both = values.has("filter") && values.has("hash");
  const neither = !values.has("filter") && !values.has("hash");
  if (both) complaints.push({ parameter: "hash", detail: "filter and hash exclude each other" });
  if (neither) complaints.push({ parameter: "filter", detail: "filter or hash is required" });
  const from = Number(values.get("from") ?? "0");
  const until = Number(values.get("until") ?? "Infinity");
  if (from >= until) {
    complaints.push({ parameter: "until", detail: `until: expected more than from, got ${until}` });
  }
  return complaints;
}

function queryOf(values: ParameterValues): MetricsQuery {
  const hash = values.get("hash");
  const isRanged = values.has("from") || values.has("until");
  return {
    loadTestId: values.get("loadTestId") ?? "",
    selection:
      hash === undefined
        ? { by: "filter", filter: values.get("filter") ?? "" }
        : { by: "hash", hash: hash.toLowerCase() },
    range: isRanged
      ? {
          from: Number(values.get("from") ?? 0),
          until: Number(values.get("until") ?? SECONDS_MAX + 1),
        }
      : undefined,
    resolutionSeconds: Number(values.get("resolution") ?? 1),
    format: (values.get("format") ?? "default") as MetricsFormat,
  };
}
