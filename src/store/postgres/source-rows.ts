import { type RoleCounts, encodeRoleCounts } from "../sqlite/catalogue/tally.ts";
import { type SourceRow, sourceOfRow, type StoredRow } from "../sqlite/catalogue/source-rows.ts";
import { NOW_MS, type Row, type Statement, type Value } from "./database.ts";

/** A source with what SQLite keeps in its table of batches. */
export interface StoredSource extends SourceRow {
  readonly isWithdrawn: boolean;
  readonly batches: number;
  readonly lastSequence: number | undefined;
}

const COLUMNS = [
  "load_test",
  "number",
  "id",
  "visibility",
  "format",
  "last_batch_at_ms",
  "withdrawn",
  "batches",
  "last_sequence",
  "name",
  "size_bytes",
  "digest",
  "marks",
  "quality",
  "blocks",
  "requests",
  "failed_requests",
  "first_second",
  "last_second",
  "endpoints",
  "request_endpoints",
  "role_counts",
] as const;

export const SOURCE_COLUMNS = COLUMNS.join();

/** Those that readers see, without the ends of withdrawn ones. */
export const IS_VISIBLE = "(visibility = 'live' OR digest IS NOT NULL)";

export function sourceOf(found: Row): StoredSource {
  const { id, name, withdrawn, batches, last_sequence: lastSequence, ...row } = found;
  const source = sourceOfRow({
    ...row,
    id: textOf(id),
    name: name === null ? null : textOf(name),
  } as StoredRow);
  return {
    ...source,
    isWithdrawn: withdrawn === true,
    batches: Number(batches),
    lastSequence: lastSequence === null ? undefined : Number(lastSequence),
  };
}

export function saveSource(source: StoredSource): Statement {
  const { tally, published } = source;
  const values: Readonly<Record<(typeof COLUMNS)[number], Value>> = {
    load_test: source.loadTest,
    number: source.number,
    id: Buffer.from(source.id),
    visibility: source.visibility,
    format: source.format ?? null,
    last_batch_at_ms: source.lastBatchAtMs,
    withdrawn: source.isWithdrawn,
    batches: source.batches,
    last_sequence: source.lastSequence ?? null,
    name: published === undefined ? null : Buffer.from(published.name),
    size_bytes: published?.sizeBytes ?? null,
    digest: published?.digest ?? null,
    marks: published?.marks ?? null,
    quality: qualityText(source),
    blocks: tally.blocks,
    requests: tally.requests,
    failed_requests: tally.failedRequests,
    first_second: tally.firstSecond ?? null,
    last_second: tally.lastSecond ?? null,
    endpoints: tally.endpoints,
    request_endpoints: tally.requestEndpoints,
    role_counts: storedCounts(tally.roleCounts),
  };
  const places = COLUMNS.map((column, at) => {
    // By any process, and its clock, what is staged is deleted a day later.
    const isShared = column === "last_batch_at_ms" && source.visibility === "staged";
    const place = `$${at + 1}`;
    return isShared ? `CASE WHEN ${place}::bigint > 0 THEN ${NOW_MS} ELSE 0 END` : place;
  });
  return {
    sql: `INSERT INTO sources (${SOURCE_COLUMNS}) VALUES (${places.join()})
      ON CONFLICT (load_test, number) DO UPDATE SET
        ${COLUMNS.map((column) => `${column} = excluded.${column}`).join()}`,
    values: COLUMNS.map((column) => values[column]),
  };
}

/** As in the store file: of a live source, what its batches say. */
function qualityText({ published, unrecorded, quality }: StoredSource): string | null {
  if (published !== undefined) return JSON.stringify(published.quality);
  if (unrecorded === undefined && quality === undefined) return null;
  return JSON.stringify({ unrecorded, quality });
}

export function storedCounts(counts: RoleCounts): Value {
  return encodeRoleCounts(counts);
}

const UTF8 = new TextDecoder("utf-8", { ignoreBOM: true });

export function textOf(bytes: unknown): string {
  return UTF8.decode(bytesIn(bytes));
}

export function bytesIn(value: unknown): Uint8Array {
  return value instanceof Uint8Array ? value : new Uint8Array(0);
}
