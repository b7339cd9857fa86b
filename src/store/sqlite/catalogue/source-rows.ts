import { requireDeleted } from "../file/listed-rows.ts";
import type { DatabaseSync } from "node:sqlite";
import { UserError } from "../../../model/errors.ts";
import { addRowQuality, isRowQuality } from "../../../model/quality/row-quality.ts";
import { boundBytes } from "../blocks/block-rows.ts";
import {
  addRoleCounts,
  decodeRoleCounts,
  encodeRoleCounts,
  NO_ROLE_COUNTS,
  type RoleCounts,
  type Tally,
} from "./tally.ts";
import { openReportedRows, openSampleRows } from "./detail-rows.ts";
import type { SourceFormats } from "./load-test-rows.ts";
import type { Content, LiveSource, PublishedSource, VisibleSource } from "../../snapshot.ts";
import { isCount, parsedJson } from "../../../model/json-text.ts";
import {
  isExtent,
  type SourceQuality,
  type Unrecorded,
  UNRECORDED,
} from "../../../model/source-quality.ts";

export interface SourceRow extends LiveQuality {
  readonly number: number;
  readonly loadTest: number;
  readonly id: string;
  readonly visibility: "live" | "staged";
  /** `undefined` if unknown. */
  readonly format: string | undefined;
  /** Time of the latest batch. */
  readonly lastBatchAtMs: number;
  /** Origin, once it is published. */
  readonly published: Omit<PublishedSource, "loadTestId" | "sourceId"> | undefined;
  readonly tally: Tally;
}

interface NewSource extends Pick<SourceRow, "id" | "visibility"> {
  /** For live sources only; others get it when they are published. */
  readonly format?: string | undefined;
}

export interface StoredRow {
  readonly number: number;
  readonly load_test: number;
  readonly id: string;
  readonly visibility: "live" | "staged";
  readonly last_batch_at_ms: number;
  readonly name: string | null;
  readonly format: string | null;
  readonly size_bytes: number | null;
  readonly digest: string | null;
  readonly marks: string | null;
  /** For a live source, `LiveQuality`. */
  readonly quality: string | null;
  readonly blocks: number;
  readonly endpoints: Uint8Array;
  /** `null` if equal to `endpoints`. */
  readonly request_endpoints: Uint8Array | null;
  /** `null` if there are none. */
  readonly role_counts: Uint8Array | null;
  readonly requests: number;
  readonly failed_requests: number;
  readonly first_second: number | null;
  readonly last_second: number | null;
}

/** Reserved batch number that marks the end of a withdrawn source. */
const WITHDRAWN = Number.MAX_SAFE_INTEGER;

/** Opens the tables on one connection; changing methods require a write transaction. */
export function openSourceRows(database: DatabaseSync) {
  const find = database.prepare("SELECT * FROM sources WHERE load_test = ? AND id = ?");
  const get = database.prepare("SELECT * FROM sources WHERE number = ?");
  const visible = database.prepare(
    `SELECT * FROM sources WHERE load_test = ? AND (visibility = 'live' OR digest IS NOT NULL)
     ORDER BY number`,
  );
  const stale = database.prepare(
    "SELECT * FROM sources WHERE digest IS NULL AND visibility = 'staged' AND last_batch_at_ms < ?",
  );
  const insert = database.prepare(
    "INSERT INTO sources (load_test, id, visibility, format, last_batch_at_ms) VALUES (?, ?, ?, ?, 0)",
  );
  const update = database.prepare(
    `UPDATE sources SET last_batch_at_ms = ?, blocks = ?, endpoints = ?, request_endpoints = ?,
       role_counts = ?, requests = ?, failed_requests = ?, first_second = ?, last_second = ? WHERE number = ?`,
  );
  const publish = database.prepare(
    `UPDATE sources SET name = ?, format = ?, size_bytes = ?, digest = ?, marks = ?, quality = ?
     WHERE number = ?`,
  );
  const saveQuality = database.prepare("UPDATE sources SET quality = ? WHERE number = ?");
  const remove = database.prepare("DELETE FROM sources WHERE number = ?");
  const findBatch = database.prepare(
    "SELECT digest FROM batches WHERE source = ? AND sequence = ?",
  );
  const addBatch = database.prepare(
    "INSERT INTO batches (source, sequence, digest, role_counts) VALUES (?, ?, ?, ?)",
  );
  const roleCounts = database.prepare(
    "SELECT role_counts FROM batches WHERE source = ? AND role_counts IS NOT NULL",
  );
  const forgetRoleCounts = database.prepare(
    "UPDATE batches SET role_counts = NULL WHERE source = ? AND role_counts IS NOT NULL",
  );
  const countBatches = database.prepare(
    "SELECT count(*) AS count, max(sequence) AS last FROM batches WHERE source = ?",
  );
  const lastBatch = database.prepare("SELECT max(sequence) AS last FROM batches WHERE source = ?");
  const live = database.prepare(
    `SELECT id, quality,
       (SELECT max(sequence) FROM batches WHERE source = sources.number) AS lastSequence
     FROM sources WHERE load_test = ? AND visibility = 'live' ORDER BY number`,
  );
  const formats = database.prepare(
    `SELECT format, sum(requests) AS requests FROM sources
     WHERE load_test = ? AND (digest IS NOT NULL OR visibility = 'live')
       AND NOT EXISTS (SELECT 1 FROM batches WHERE source = sources.number AND sequence = ?)
     GROUP BY format ORDER BY format`,
  );
  const withContent = database.prepare(
    "SELECT * FROM sources WHERE digest = ? AND size_bytes = ? ORDER BY number",
  );
  const noteRemoved = database.prepare("INSERT INTO removed_sources VALUES (?)");
  const withdrawn = database.prepare("SELECT 1 FROM batches WHERE source = ? AND sequence = ?");
  const any = database.prepare("SELECT 1 FROM sources WHERE load_test = ? LIMIT 1");
  const removeAll = database.prepare("DELETE FROM sources WHERE load_test = ?");
  const noteAllRemoved = database.prepare(
    "INSERT INTO removed_sources SELECT number FROM sources WHERE load_test = ?",
  );
  const removed = database.prepare("SELECT number FROM removed_sources LIMIT 1");
  const forgetBatches = database.prepare(
    `DELETE FROM batches WHERE source = :source AND sequence IN
       (SELECT sequence FROM batches WHERE source = :source LIMIT :most)`,
  );
  const reported = openReportedRows(database);
  const samples = openSampleRows(database);
  const forget = database.prepare("DELETE FROM removed_sources WHERE number = ?");

  return {
    find: (loadTest: number, id: string) => sourceOf(find.get(loadTest, id)),
    get: (number: number) => sourceOf(get.get(number)),
    hasAny: (loadTest: number) => any.get(loadTest) !== undefined,
    visible: (loadTest: number) => visible.all(loadTest).map((row) => sourceOf(row) as SourceRow),
    /** Returns the published sources of all load tests with this content. */
    withContent: ({ digest, sizeBytes }: Content) =>
      withContent.all(digest, sizeBytes).map((row) => sourceOf(row) as SourceRow),
    /** Returns the staged sources without a batch since `beforeMs`. */
    stale: (beforeMs: number) => stale.all(beforeMs).map((row) => sourceOf(row) as SourceRow),
    /** Returns the live sources. Each has a batch, because its first batch creates it. */
    live: (loadTest: number) =>
      live
        .all(loadTest)
        .map((row) => liveSourceOf(row as unknown as LiveRow))
        .filter(({ lastSequence }) => lastSequence !== WITHDRAWN),
    /** Returns the distinct format names of visible sources, ascending by UTF-8 bytes, and their requests. */
    formats(loadTest: number): SourceFormats {
      const rows = formats.all(loadTest, WITHDRAWN);
      return {
        formats: rows.flatMap(({ format }) => format ?? []) as string[],
        requests: rows.reduce((sum, { requests }) => sum + Number(requests), 0),
      };
    },
    /** Makes a live source reject further batches; the record of its batches stays. */
    markWithdrawn(source: SourceRow): void {
      addBatch.run(source.number, WITHDRAWN, new Uint8Array(0), null);
    },
    isWithdrawn: (source: SourceRow) => withdrawn.get(source.number, WITHDRAWN) !== undefined,
    /** Returns the largest batch number; `undefined` if there is none. */
    lastSequence: (source: SourceRow) =>
      (lastBatch.get(source.number) as { last: number | null }).last ?? undefined,
    add(loadTest: number, { id, visibility, format }: NewSource): SourceRow {
      insert.run(loadTest, id, visibility, format ?? null);
      return sourceOf(find.get(loadTest, id)) as SourceRow;
    },
    saveTally(source: SourceRow, tally: Tally, lastBatchAtMs: number): void {
      update.run(
        lastBatchAtMs,
        tally.blocks,
        boundBytes(tally.endpoints),
        Buffer.compare(tally.requestEndpoints, tally.endpoints) === 0
          ? null
          : boundBytes(tally.requestEndpoints),
        storedRoleCounts(tally.roleCounts),
        tally.requests,
        tally.failedRequests,
        tally.firstSecond ?? null,
        tally.lastSecond ?? null,
        source.number,
      );
    },
    addQuality(source: SourceRow, batch: LiveQuality): void {
      if (batch.unrecorded === undefined && batch.quality === undefined) return;
      const unrecorded = batch.unrecorded ?? source.unrecorded;
      const quality = addRowQuality([source.quality, batch.quality]);
      saveQuality.run(JSON.stringify({ unrecorded, quality }), source.number);
    },
    markPublished(source: SourceRow, published: PublishedSource): void {
      const { name, format, sizeBytes, digest, marks = null, quality } = published;
      const qualityText = JSON.stringify(quality);
      publish.run(name, format, sizeBytes, digest, marks, qualityText, source.number);
    },
    /** Removes a source. The record of its batches is deleted later; its blocks stay. */
    remove(source: SourceRow): void {
      noteRemoved.run(source.number);
      reported.remove(source);
      samples.remove(source);
      remove.run(source.number);
    },
    /** Removes all sources of a load test in the same way. */
    removeAll(loadTest: number): void {
      noteAllRemoved.run(loadTest);
      reported.removeAll(loadTest);
      samples.removeAll(loadTest);
      removeAll.run(loadTest);
    },
    /** Whether records of batches remain to be deleted. */
    anyRemoved: () => removed.get() !== undefined,
    /** Deletes at most this many batch records of a removed source. Throws `damaged-store`. */
    forgetSome(most: number): void {
      const source = removed.get()?.["number"];
      if (source === undefined) return;
      const { changes } = forgetBatches.run({ source, most });
      if (Number(changes) < most) requireDeleted("removed_sources", forget.run(source));
    },
    batchDigest: (source: SourceRow, sequence: number) =>
      findBatch.get(source.number, sequence)?.["digest"] as Uint8Array | undefined,
    /** `takeRoleCounts` adds the role counts later. */
    addBatch(
      source: SourceRow,
      sequence: number,
      batchDigest: Uint8Array,
      counts = NO_ROLE_COUNTS,
    ): void {
      addBatch.run(source.number, sequence, batchDigest, storedRoleCounts(counts));
    },
    /** Returns the summed role counts of its batches and deletes them. */
    takeRoleCounts(source: SourceRow): RoleCounts {
      const parts = roleCounts.all(source.number);
      if (parts.length > 0) forgetRoleCounts.run(source.number);
      return addRoleCounts(parts.map((row) => decodeRoleCounts(row["role_counts"] as Uint8Array)));
    },
    /** Returns the number of batches and whether they are numbered from 0 without gaps. */
    batches(source: SourceRow): { readonly count: number; readonly complete: boolean } {
      const { count, last } = countBatches.get(source.number) as { count: number; last: number };
      return { count, complete: count === 0 || last === count - 1 };
    },
  };
}

type LiveRow = Pick<StoredRow, "id" | "quality"> & Pick<LiveSource, "lastSequence">;

function liveSourceOf({ id, quality: text, lastSequence }: LiveRow): LiveSource {
  const quality = text === null ? undefined : storedLiveQuality(id, text).quality;
  return { sourceId: id, lastSequence, ...(quality && { quality }) };
}

function sourceOf(found: unknown): SourceRow | undefined {
  return found === undefined ? undefined : sourceOfRow(found as StoredRow);
}

/** Throws `damaged-store`. */
export function sourceOfRow(row: StoredRow): SourceRow {
  if (!hasSets(row)) {
    throw new UserError("damaged-store", `the row of source "${row.id}" has no set of endpoints`);
  }
  return {
    number: row.number,
    loadTest: row.load_test,
    id: row.id,
    visibility: row.visibility,
    format: row.format ?? undefined,
    ...(row.visibility === "live" && row.quality !== null
      ? storedLiveQuality(row.id, row.quality)
      : {}),
    lastBatchAtMs: row.last_batch_at_ms,
    published: publishedOf(row),
    tally: {
      blocks: row.blocks,
      endpoints: row.endpoints,
      requestEndpoints: row.request_endpoints ?? row.endpoints,
      roleCounts: decodeRoleCounts(row.role_counts ?? NO_BYTES),
      requests: row.requests,
      failedRequests: row.failed_requests,
      firstSecond: row.first_second ?? undefined,
      lastSecond: row.last_second ?? undefined,
    },
  };
}

const NO_BYTES = new Uint8Array(0);

function hasSets({ endpoints, request_endpoints, role_counts }: StoredRow): boolean {
  return [endpoints, request_endpoints ?? endpoints, role_counts ?? endpoints].every(
    (bytes) => bytes instanceof Uint8Array,
  );
}

function storedRoleCounts(counts: RoleCounts): Uint8Array | null {
  return counts.size === 0 ? null : encodeRoleCounts(counts);
}

function publishedOf(row: StoredRow): SourceRow["published"] {
  const { name, format, size_bytes: sizeBytes, digest, marks, quality } = row;
  if (name === null || format === null || sizeBytes === null || digest === null || quality === null)
    return undefined;
  return {
    name,
    format,
    sizeBytes,
    digest,
    ...(marks === null ? {} : { marks }),
    quality: storedQuality(row.id, quality),
  };
}

/** Decodes it. Throws `damaged-store` for other text. */
function storedQuality(sourceId: string, text: string): SourceQuality {
  const quality = parsedJson(text);
  if (isQuality(quality)) return quality;
  throw damaged(sourceId);
}

/** What the batches of a live source say of it. */
export type LiveQuality = Pick<VisibleSource, "unrecorded" | "quality">;

/** Decodes it. Throws `damaged-store` for other text. */
function storedLiveQuality(sourceId: string, text: string): LiveQuality {
  const live = parsedJson(text);
  if (typeof live !== "object" || live === null) throw damaged(sourceId);
  const { unrecorded, quality } = live as LiveQuality;
  const isRight =
    (unrecorded === undefined || areUnrecorded(unrecorded)) &&
    (quality === undefined || isRowQuality(quality));
  if (isRight) return { unrecorded, quality };
  throw damaged(sourceId);
}

function damaged(sourceId: string): UserError {
  return new UserError("damaged-store", `the quality of source "${sourceId}" is damaged`);
}

function isQuality(value: unknown): value is SourceQuality {
  if (!isRowQuality(value)) return false;
  const { unrecorded, ...rest } = value as Partial<SourceQuality>;
  const { untimedRequests, averagedRequests, windowSeconds, truncatedAtByte = 0, extent } = rest;
  const counts = [untimedRequests, averagedRequests, windowSeconds, truncatedAtByte];
  const isRight = extent === undefined || isExtent(extent);
  return isRight && Array.isArray(unrecorded) && counts.every(isCount);
}

function areUnrecorded(value: unknown): value is readonly Unrecorded[] {
  return Array.isArray(value) && value.every((each) => UNRECORDED.includes(each));
}
