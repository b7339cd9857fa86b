import type { SourceQuality, Unrecorded } from "../model/source-quality.ts";

export interface FormatQuality extends Pick<SourceQuality, "unrecorded"> {
  /** Whether requests are recorded in windows that hold no more than averages. */
  readonly isAveraged?: true;
}

/**
 * What no source of a format records, by the format's name; a format that is not here may record all
 * of it. A table of its own, so that a report can say it without the decoders.
 */
const NEVER: Readonly<Record<string, readonly Unrecorded[]>> = {
  "gatling-binary": ["sizes"],
  "gatling-text": ["sizes"],
  "k6-csv": ["sizes"],
  "k6-json": ["sizes"],
  "k6-line-protocol": ["sizes"],
  "jmeter-raw-line-protocol": ["sizes", "users"],
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
  "goose-csv": ["sizes", "users"],
  "goose-json": ["sizes", "users"],
};

/** JMeter merges its samples into windows before it sends them. */
const AVERAGED: ReadonlySet<string> = new Set([
  "locust-history",
  "artillery-json",
  "jmeter-line-protocol",
]);

/** What is known of a source by the name of its format alone. */
export function formatQuality(name: string | undefined): FormatQuality {
  const unrecorded = NEVER[name ?? ""] ?? [];
  return AVERAGED.has(name ?? "") ? { unrecorded, isAveraged: true } : { unrecorded };
}
