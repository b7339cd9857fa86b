import type { SchemaElement } from "hyparquet";
import type { UnstoredValues } from "../../model/measures/measure-table.ts";
import type { Attributes } from "../../model/load-test/attributes.ts";
import type { LoadTest } from "../../model/load-test.ts";
import type { RowQuality } from "../../model/quality/row-quality.ts";
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
  passed_min_micros: "integer",
  passed_max_micros: "integer",
  failed_min_micros: "integer",
  failed_max_micros: "integer",
  failed_bucket_micros: "integers",
  failed_bucket_requests: "integers",
  failure_codes: "texts",
  failure_messages: "texts",
  failure_requests: "integers",
  generator: "text",
  active_users: "integer",
  started_users: "integer",
  ended_users: "integer",
  measure: "text",
  unit: "text",
  kind: "text",
  tags: "text",
  value_count: "integer",
  value_sum: "number",
  value_min: "number",
  value_max: "number",
  value_last: "number",
  value_p50: "number",
  value_p95: "number",
  value_p99: "number",
  bucket_values: "numbers",
  bucket_counts: "integers",
  last_at_millis: "integer",
  sum_millions: "integer",
  sum_nanos: "integer",
} as const;

/** Of texts; a run has those of its facets, by name, after the others. */
export type FacetColumn = `facet.${string}`;

export type ColumnName = keyof typeof COLUMNS | FacetColumn;

export function isFacetColumn(name: string): name is FacetColumn {
  return name.startsWith("facet.");
}

export function columnNames(facets: readonly FacetColumn[]): readonly ColumnName[] {
  return [...(Object.keys(COLUMNS) as (keyof typeof COLUMNS)[]), ...facets];
}

/** Key of the metadata that make a Parquet file one of Tachograph's. */
export const METADATA_KEY = "tachograph";

/** Increment when older programs would read new files wrongly. */
export const METADATA_VERSION = 1;

/** What an exported run says about itself, besides its rows. JSON. */
export interface ExportMetadata {
  readonly version: number;
  /** See `file-digest.ts`. */
  readonly sha256: string;
  readonly loadTest: Pick<LoadTest, "id"> & Attributes;
  readonly quality: RowQuality & Pick<SourceQuality, "unrecorded" | "truncatedAtByte" | "extent">;
  /** Percentiles that the tool reported, if there is one source: columns as base64, and the labels they point to. */
  readonly reported?: { readonly labels: readonly string[]; readonly columns: string };
  /** Values of measures that were not stored, if there are any. */
  readonly unstored?: UnstoredValues;
}

const TYPES = {
  text: { type: "BYTE_ARRAY", converted_type: "UTF8" },
  integer: { type: "INT64" },
  number: { type: "DOUBLE" },
} as const;

const ELEMENTS = { texts: TYPES.text, integers: TYPES.integer, numbers: TYPES.number } as const;

export function parquetSchema(facets: readonly FacetColumn[] = []): SchemaElement[] {
  const columns = [...Object.entries(COLUMNS), ...facets.map((name) => [name, "text"] as const)];
  const elements = columns.flatMap(([name, kind]): SchemaElement[] => {
    if (kind === "text" || kind === "integer" || kind === "number") {
      return [{ name, repetition_type: "OPTIONAL", ...TYPES[kind] }];
    }
    return [
      { name, repetition_type: "OPTIONAL", converted_type: "LIST", num_children: 1 },
      { name: "list", repetition_type: "REPEATED", num_children: 1 },
      { name: "element", repetition_type: "REQUIRED", ...ELEMENTS[kind] },
    ];
  });
  return [{ name: "run", num_children: columns.length }, ...elements];
}
