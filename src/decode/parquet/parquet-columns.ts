import type { SchemaElement } from "hyparquet";
import type { LoadTest } from "../../model/load-test.ts";
import type { SourceQuality } from "../../model/source-quality.ts";

/** The columns of an exported run, in their order: docs/parquet.md. Any can be null. */
export const COLUMNS = {
  label: "text",
  role: "text",
  second: "integer",
  window_seconds: "integer",
  requests: "integer",
  failed_requests: "integer",
  untimed_requests: "integer",
  untimed_failed_requests: "integer",
  elapsed_micros: "integer",
  failed_elapsed_micros: "integer",
  received_bytes: "integer",
  failed_received_bytes: "integer",
  min_micros: "integer",
  max_micros: "integer",
  p50_micros: "integer",
  p95_micros: "integer",
  p99_micros: "integer",
  bucket_micros: "integers",
  bucket_requests: "integers",
  failure_codes: "texts",
  failure_messages: "texts",
  failure_requests: "integers",
  generator: "text",
  active_users: "integer",
  started_users: "integer",
  ended_users: "integer",
} as const;

export type ColumnName = keyof typeof COLUMNS;

/** Key of the metadata that make a Parquet file one of Tachograph's. */
export const METADATA_KEY = "tachograph";

/** Increment when older programs would read new files wrongly. */
export const METADATA_VERSION = 1;

/** What an exported run says about itself, besides its rows. JSON. */
export interface ExportMetadata {
  readonly version: number;
  /** See `file-digest.ts`. */
  readonly sha256: string;
  readonly loadTest: Pick<LoadTest, "id" | "name" | "tags">;
  /** Of all sources together. */
  readonly quality: Pick<SourceQuality, "unrecorded" | "rejectedRows" | "truncatedAtByte">;
  /** Percentiles that the tool reported, if there is one source: columns as base64, and the labels they point to. */
  readonly reported?: { readonly labels: readonly string[]; readonly columns: string };
}

const TYPES = {
  text: { type: "BYTE_ARRAY", converted_type: "UTF8" },
  integer: { type: "INT64" },
} as const;

export function parquetSchema(): SchemaElement[] {
  const columns = Object.entries(COLUMNS);
  const elements = columns.flatMap(([name, kind]): SchemaElement[] => {
    if (kind === "text" || kind === "integer") {
      return [{ name, repetition_type: "OPTIONAL", ...TYPES[kind] }];
    }
    const element = kind === "texts" ? TYPES.text : TYPES.integer;
    return [
      { name, repetition_type: "OPTIONAL", converted_type: "LIST", num_children: 1 },
      { name: "list", repetition_type: "REPEATED", num_children: 1 },
      { name: "element", repetition_type: "REQUIRED", ...element },
    ];
  });
  return [{ name: "run", num_children: columns.length }, ...elements];
}
