import type { RoleCounts } from "../sqlite/catalogue/role-counts.ts";
import { decodeRoleCounts, encodeRoleCounts } from "../sqlite/catalogue/role-counts.ts";
import type { SourceRow } from "../sqlite/catalogue/source-rows.ts";
import type { LiveQuality } from "../sqlite/stored-quality.ts";
import type { Row, Statement, Value } from "./database.ts";

/** A source with what SQLite keeps in its table of batches. */
export interface StoredSource extends SourceRow {
  readonly isWithdrawn: boolean;
  readonly batches: number;
  readonly lastSequence: number | undefined;
}

/** Columns without an index, as JSON: it can hold any text. */
interface About extends LiveQuality {
  readonly published: SourceRow["published"];
  readonly blocks: number;
  readonly failedRequests: number;
  readonly firstSecond: number | undefined;
  readonly lastSecond: number | undefined;
}

export const SOURCE_COLUMNS = `load_test, number, id, visibility, format, touched_at_ms, withdrawn,
  batches, last_sequence, requests, about, endpoints, request_endpoints, role_counts`;

/** Those that readers see, without the ends of withdrawn ones. */
export const IS_VISIBLE = "(visibility = 'live' OR digest IS NOT NULL)";

export function sourceOf(row: Row): StoredSource {
  const { published, blocks, failedRequests, firstSecond, lastSecond, ...live } = JSON.parse(
    String(row["about"]),
  ) as About;
  return {
    number: Number(row["number"]),
    loadTest: Number(row["load_test"]),
    id: textOf(row["id"]),
    visibility: row["visibility"] === "live" ? "live" : "staged",
    format: typeof row["format"] === "string" ? row["format"] : undefined,
    ...(row["visibility"] === "live" ? live : {}),
    touchedAtMs: Number(row["touched_at_ms"]),
    published,
    tally: {
      blocks,
      endpoints: bytesIn(row["endpoints"]),
      requestEndpoints: bytesIn(row["request_endpoints"]),
      roleCounts: decodeRoleCounts(bytesIn(row["role_counts"])),
      requests: Number(row["requests"]),
      failedRequests,
      firstSecond,
      lastSecond,
    },
    isWithdrawn: row["withdrawn"] === true,
    batches: Number(row["batches"]),
    lastSequence: row["last_sequence"] === null ? undefined : Number(row["last_sequence"]),
  };
}

/** Stores a new source, or all that can change of one. */
export function saveSource(source: StoredSource): Statement {
  const { tally, published, unrecorded, quality } = source;
  const about: About = {
    published,
    blocks: tally.blocks,
    failedRequests: tally.failedRequests,
    firstSecond: tally.firstSecond,
    lastSecond: tally.lastSecond,
    unrecorded,
    quality,
  };
  return {
    sql: `INSERT INTO sources (${SOURCE_COLUMNS}, digest, size_bytes)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
      ON CONFLICT (load_test, number) DO UPDATE SET format = excluded.format,
        touched_at_ms = excluded.touched_at_ms, withdrawn = excluded.withdrawn,
        batches = excluded.batches, last_sequence = excluded.last_sequence,
        requests = excluded.requests, about = excluded.about, endpoints = excluded.endpoints,
        request_endpoints = excluded.request_endpoints, role_counts = excluded.role_counts,
        digest = excluded.digest, size_bytes = excluded.size_bytes`,
    values: [
      source.loadTest,
      source.number,
      Buffer.from(source.id),
      source.visibility,
      source.format ?? null,
      source.touchedAtMs,
      source.isWithdrawn,
      source.batches,
      source.lastSequence ?? null,
      tally.requests,
      JSON.stringify(about),
      tally.endpoints,
      tally.requestEndpoints,
      storedCounts(tally.roleCounts),
      published?.digest ?? null,
      published?.sizeBytes ?? null,
    ],
  };
}

export function storedCounts(counts: RoleCounts): Value {
  return encodeRoleCounts(counts);
}

export function textOf(bytes: unknown): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytesIn(bytes));
}

export function bytesIn(value: unknown): Uint8Array {
  return value instanceof Uint8Array ? value : new Uint8Array(0);
}
