/** The tables of sources and of their batches. */

import type { DatabaseSync } from "node:sqlite";
import { UserError } from "../../model/errors.ts";
import { boundBytes } from "./bound-bytes.ts";
import type { LiveSource, PublishedSource } from "../store.ts";
import type { Tally } from "./tally.ts";

export interface SourceRow {
  readonly number: number;
  readonly loadTest: number;
  readonly id: string;
  readonly visibility: "live" | "staged";
  /** `undefined` where it is not known. */
  readonly format: string | undefined;
  /** When a batch came last. */
  readonly touchedAtMs: number;
  /** Where it came from, once it is published. */
  readonly published: Omit<PublishedSource, "loadTestId" | "sourceId"> | undefined;
  readonly tally: Tally;
}

/** A source to be added. */
interface NewSource extends Pick<SourceRow, "id" | "visibility"> {
  /** Of a live one; that of others comes when they are published. */
  readonly format?: string | undefined;
}

/** The same as SQLite gives it. */
interface StoredRow {
  readonly number: number;
  readonly load_test: number;
  readonly id: string;
  readonly visibility: "live" | "staged";
  readonly touched_at_ms: number;
  readonly name: string | null;
  readonly format: string | null;
  readonly size_bytes: number | null;
  readonly digest: string | null;
  readonly blocks: number;
  readonly endpoints: Uint8Array;
  readonly requests: number;
  readonly failed_requests: number;
  readonly first_second: number | null;
  readonly last_second: number | null;
}

/** The number of a batch that no batch has: it stands for the end of a source that was withdrawn. */
const WITHDRAWN = Number.MAX_SAFE_INTEGER;

/** Opens the rows for one connection; what changes them only within a write. */
export function openSourceRows(database: DatabaseSync) {
  const find = database.prepare("SELECT * FROM sources WHERE load_test = ? AND id = ?");
  const get = database.prepare("SELECT * FROM sources WHERE number = ?");
  const visible = database.prepare(
    `SELECT * FROM sources WHERE load_test = ? AND (visibility = 'live' OR digest IS NOT NULL)
     ORDER BY number`,
  );
  const stale = database.prepare(
    "SELECT * FROM sources WHERE digest IS NULL AND visibility = 'staged' AND touched_at_ms < ?",
  );
  const insert = database.prepare(
    "INSERT INTO sources (load_test, id, visibility, format, touched_at_ms) VALUES (?, ?, ?, ?, 0)",
  );
  const update = database.prepare(
    `UPDATE sources SET touched_at_ms = ?, blocks = ?, endpoints = ?, requests = ?,
       failed_requests = ?, first_second = ?, last_second = ? WHERE number = ?`,
  );
  const publish = database.prepare(
    "UPDATE sources SET name = ?, format = ?, size_bytes = ?, digest = ? WHERE number = ?",
  );
  const remove = database.prepare("DELETE FROM sources WHERE number = ?");
  const findBatch = database.prepare(
    "SELECT digest FROM batches WHERE source = ? AND sequence = ?",
  );
  const addBatch = database.prepare("INSERT INTO batches VALUES (?, ?, ?)");
  const countBatches = database.prepare(
    "SELECT count(*) AS count, max(sequence) AS last FROM batches WHERE source = ?",
  );
  const lastBatch = database.prepare("SELECT max(sequence) AS last FROM batches WHERE source = ?");
  const live = database.prepare(
    `SELECT id AS sourceId,
       (SELECT max(sequence) FROM batches WHERE source = sources.number) AS lastSequence
     FROM sources WHERE load_test = ? AND visibility = 'live' ORDER BY number`,
  );
  const formats = database.prepare(
    `SELECT DISTINCT format FROM sources
     WHERE load_test = ? AND format IS NOT NULL AND (digest IS NOT NULL OR visibility = 'live')
       AND NOT EXISTS (SELECT 1 FROM batches WHERE source = sources.number AND sequence = ?)
     ORDER BY format`,
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
  const forget = database.prepare("DELETE FROM removed_sources WHERE number = ?");

  return {
    find: (loadTest: number, id: string) => sourceOf(find.get(loadTest, id)),
    get: (number: number) => sourceOf(get.get(number)),
    /** Whether a load test has a source, staged ones included. */
    hasAny: (loadTest: number) => any.get(loadTest) !== undefined,
    /** Sources that readers see. */
    visible: (loadTest: number) => visible.all(loadTest).map((row) => sourceOf(row) as SourceRow),
    /** Staged sources that got no batch since `beforeMs`. */
    stale: (beforeMs: number) => stale.all(beforeMs).map((row) => sourceOf(row) as SourceRow),
    /** Live sources; each has a batch, since its first one makes it. */
    live: (loadTest: number) =>
      live
        .all(loadTest)
        .map((row): LiveSource => ({ ...(row as unknown as LiveSource) }))
        .filter(({ lastSequence }) => lastSequence !== WITHDRAWN),
    /** Names of the formats of sources that readers see, each once, ascending by UTF-8 bytes. */
    formats: (loadTest: number) =>
      formats.all(loadTest, WITHDRAWN).map((row) => String(row["format"])),
    /** Lets a live source take no further batches; the record of those that it had stays. */
    markWithdrawn(source: SourceRow): void {
      addBatch.run(source.number, WITHDRAWN, new Uint8Array(0));
    },
    isWithdrawn: (source: SourceRow) => withdrawn.get(source.number, WITHDRAWN) !== undefined,
    /** The largest number of a batch; `undefined` where there is none. */
    lastSequence: (source: SourceRow) =>
      (lastBatch.get(source.number) as { last: number | null }).last ?? undefined,
    add(loadTest: number, { id, visibility, format }: NewSource): SourceRow {
      insert.run(loadTest, id, visibility, format ?? null);
      return sourceOf(find.get(loadTest, id)) as SourceRow;
    },
    saveTally(source: SourceRow, tally: Tally, touchedAtMs: number): void {
      update.run(
        touchedAtMs,
        tally.blocks,
        boundBytes(tally.endpoints),
        tally.requests,
        tally.failedRequests,
        tally.firstSecond ?? null,
        tally.lastSecond ?? null,
        source.number,
      );
    },
    markPublished(source: SourceRow, { name, format, sizeBytes, digest }: PublishedSource): void {
      publish.run(name, format, sizeBytes, digest, source.number);
    },
    /** Removes it; the record of its batches is forgotten later, its blocks stay. */
    remove(source: SourceRow): void {
      noteRemoved.run(source.number);
      remove.run(source.number);
    },
    /** Removes all sources of a load test in the same way. */
    removeAll(loadTest: number): void {
      noteAllRemoved.run(loadTest);
      removeAll.run(loadTest);
    },
    /** Whether some source's batches are still to be forgotten. */
    anyRemoved: () => removed.get() !== undefined,
    /** Forgets at most so many batches of a removed source. */
    forgetSome(most: number): void {
      const source = removed.get()?.["number"];
      if (source === undefined) return;
      const { changes } = forgetBatches.run({ source, most });
      if (Number(changes) < most) forget.run(source);
    },
    batchDigest: (source: SourceRow, sequence: number) =>
      findBatch.get(source.number, sequence)?.["digest"] as Uint8Array | undefined,
    addBatch(source: SourceRow, sequence: number, batchDigest: Uint8Array): void {
      addBatch.run(source.number, sequence, batchDigest);
    },
    /** How many batches there are, and whether they are numbered from 0 without a gap. */
    batches(source: SourceRow): { readonly count: number; readonly complete: boolean } {
      const { count, last } = countBatches.get(source.number) as { count: number; last: number };
      return { count, complete: count === 0 || last === count - 1 };
    },
  };
}

export type SourceRows = ReturnType<typeof openSourceRows>;

function sourceOf(found: unknown): SourceRow | undefined {
  if (found === undefined) return undefined;
  const row = found as StoredRow;
  if (!(row.endpoints instanceof Uint8Array)) {
    throw new UserError("damaged-store", `the row of source "${row.id}" has no set of endpoints`);
  }
  return {
    number: row.number,
    loadTest: row.load_test,
    id: row.id,
    visibility: row.visibility,
    format: row.format ?? undefined,
    touchedAtMs: row.touched_at_ms,
    published: publishedOf(row),
    tally: {
      blocks: row.blocks,
      endpoints: row.endpoints,
      requests: row.requests,
      failedRequests: row.failed_requests,
      firstSecond: row.first_second ?? undefined,
      lastSecond: row.last_second ?? undefined,
    },
  };
}

function publishedOf(row: StoredRow): SourceRow["published"] {
  const { name, format, size_bytes: sizeBytes, digest } = row;
  if (name === null || format === null || sizeBytes === null || digest === null) return undefined;
  return { name, format, sizeBytes, digest };
}
