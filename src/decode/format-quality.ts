import type { SourceQuality, Unrecorded } from "../model/source-quality.ts";

export interface FormatQuality extends Pick<SourceQuality, "unrecorded"> {
  /** Whether requests are recorded as averages of windows only. */
  readonly isAveraged?: true;
}

/** Of a source of lines that could not be read, sent without any request. */
export const REJECTED_LINES = "line-rejected";

/** What a format never records, by name. Separate from the decoders, so that reports need not load them. */
const NEVER: Readonly<Record<string, readonly Unrecorded[]>> = {
  "gatling-binary": ["sizes"],
  "gatling-text": ["sizes"],
  "k6-csv": ["sizes"],
  "k6-json": ["sizes"],
  "k6-line-protocol": ["sizes"],
  "jmeter-raw-line-protocol": ["sizes", "failure-reasons", "users"],
  "nbomber-line-protocol": ["failure-reasons", "users"],
  "artillery-json": ["sizes"],
  "hey-csv": ["sizes", "users"],
  "oha-csv": ["users"],
  "ab-tsv": ["sizes", "failure-reasons", "users"],
  "siege-csv": ["users"],
  "ghz-json": ["sizes", "users"],
  har: ["users"],
  "vegeta-gob": ["users"],
  "vegeta-csv": ["users"],
  "vegeta-json": ["users"],
  phout: ["users"],
  "tsung-dump": ["users"],
  "locust-history": ["failure-reasons"],
  "locust-requests": ["users"],
  "otlp-spans": ["sizes", "users"],
  "otlp-tool-histogram": ["sizes", "users"],
  "otlp-client-histogram": ["sizes", "users"],
  "goose-csv": ["sizes", "users"],
  "goose-json": ["sizes", "users"],
};

/** JMeter merges samples into windows before it sends them. */
const AVERAGED: ReadonlySet<string> = new Set([
  "locust-history",
  "artillery-json",
  "jmeter-line-protocol",
  "nbomber-line-protocol",
]);

export function formatQuality(name: string | undefined): FormatQuality {
  const unrecorded = NEVER[name ?? ""] ?? [];
  return AVERAGED.has(name ?? "") ? { unrecorded, isAveraged: true } : { unrecorded };
}
