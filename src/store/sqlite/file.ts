/** The opened store file: one writing connection, one reading connection, and the write queue. */

import { randomInt } from "node:crypto";
import { existsSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { DEFAULT_LABEL_LIMIT, type LabelLimit } from "../label-limit.ts";
import { openBlockRows } from "./blocks/block-rows.ts";
import { openBlockWriter } from "./blocks/block-writer.ts";
import {
  openReader,
  openReadOnly,
  openWriter,
  leaveSyncsToQueue,
  quickCheck,
  waitBriefly,
} from "./file/connection.ts";
import { FreeRoom } from "./file/free-room.ts";
import { EndpointNumbers, openEndpointWriter } from "./endpoints/endpoint-numbers.ts";
import { openLoadTestRows } from "./catalogue/load-test-rows.ts";
import { createTables, requireTables } from "./schema.ts";
import { readOnlyStore } from "./read-only.ts";
import { openMeasureSeries, openReportedRows, openSampleRows } from "./catalogue/detail-rows.ts";
import { openFileRows } from "./catalogue/file-rows.ts";
import { openSourceRows } from "./catalogue/source-rows.ts";
import { ignoreFullDisk, schemaError, translated } from "./file/sql-error.ts";
import { logOf, StoreFiles } from "./file/store-files.ts";
import { WriteQueue } from "./file/write-queue.ts";

export interface SqliteFile {
  readonly path: string;
  /** Whether nothing is written, not even next to the file; then `writer` is `reader`. */
  readonly isReadOnly: boolean;
  readonly now: () => number;
  readonly labelLimit: LabelLimit;
  /** Load tests with more endpoints have a large index (`large-index.ts`). */
  readonly listedMax: number;
  /** See `FileOptions`. */
  readonly isServed: () => boolean;
  readonly room: FreeRoom;
  readonly queue: WriteQueue;
  readonly reader: DatabaseSync;
  readonly reading: ReturnType<typeof readingOf>;
  readonly writer: DatabaseSync;
  /** Use only within a write of the queue. */
  readonly writing: ReturnType<typeof writingOf>;
  /** Waits for running writes, empties the log and closes both connections. */
  close(): Promise<void>;
}

/** Some megabytes, read within milliseconds. */
const LISTED_MAX = 16_384;

export interface FileOptions {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** @default `LABELS_MAX`, without a report */
  readonly labelLimit?: LabelLimit | undefined;
  /** Bytes of the disk that batches leave free (`free-room.ts`). @default 0 */
  readonly freeBytesMin?: number | undefined;
  /** Whether nothing is written to the directory (`read-only.ts`). @default false */
  readonly isReadOnly?: boolean | undefined;
  /** Path of the reserve file that is removed when the disk is full. @default none */
  readonly reserve?: string | undefined;
  /** See `SqliteFile`; only tests set another value. @default some megabytes */
  readonly listedMax?: number | undefined;
  /**
   * Whether a server has the file open. Only that one then deletes what nobody can see any more: the clock of another process may be
   * ahead, and what the server still reads is not known there. @default never
   */
  readonly isServed?: (() => boolean) | undefined;
  /** Files up to this size are checked for damage when they are opened. */
  readonly quickCheckBytesMax: number;
}

/** Opens or creates the file. Throws what `connection.ts` and `schema.ts` throw. */
export function openFile(path: string, options: FileOptions): SqliteFile {
  const { now, labelLimit = DEFAULT_LABEL_LIMIT, listedMax = LISTED_MAX } = options;
  const { isReadOnly = false, freeBytesMin = 0, reserve, isServed = () => false } = options;
  const room = new FreeRoom(path, { bytesMin: freeBytesMin, reserve });
  // Left by a process that was killed, or used by one that is running.
  const hasLog = existsSync(logOf(path));
  const { writer, reader } = isReadOnly ? connectForReading(path) : connect(path, room);
  try {
    quickCheck(writer, path, options.quickCheckBytesMax);
    const files = new StoreFiles(path);
    const refusal = isReadOnly ? readOnlyStore() : undefined;
    const queue = new WriteQueue(writer, files, refusal);
    const [reading, writing] = [readingOf(reader), writingOf(writer, hasLog)];
    const close = () => closeFile({ queue, writer, reader, files });
    return {
      path,
      isReadOnly,
      now,
      labelLimit,
      listedMax,
      isServed,
      room,
      queue,
      reader,
      reading,
      writer,
      writing,
      close,
    };
  } catch (error) {
    reader.close();
    if (writer.isOpen) writer.close();
    throw schemaError(error, path);
  }
}

type Connections = Pick<SqliteFile, "reader" | "writer">;

function connect(path: string, room: FreeRoom): Connections {
  room.makeRoom();
  const writer = openWriter(path);
  try {
    createTables(writer, path);
    const reader = openReader(path);
    waitBriefly(writer);
    leaveSyncsToQueue(writer, path);
    room.reserve();
    return { reader, writer };
  } catch (error) {
    writer.close();
    throw schemaError(error, path);
  }
}

function connectForReading(path: string): Connections {
  const reader = openReadOnly(path);
  try {
    requireTables(reader, path);
    return { reader, writer: reader };
  } catch (error) {
    reader.close();
    throw schemaError(error, path);
  }
}

/** Runs a checkpoint and truncates the log, as far as other processes allow. */
export function emptyLog(writer: DatabaseSync): void {
  writer.exec("PRAGMA wal_checkpoint(TRUNCATE)");
}

async function closeFile({
  queue,
  writer,
  reader,
  files,
}: Connections & Pick<SqliteFile, "queue"> & { readonly files: StoreFiles }): Promise<void> {
  await queue.close();
  files.close();
  reader.close();
  // May be the same connection.
  if (!writer.isOpen) return;
  try {
    emptyLog(writer);
  } catch (error) {
    // The log has data that is not in the file.
    ignoreFullDisk(error);
  } finally {
    writer.close();
  }
}

function readingOf(reader: DatabaseSync) {
  const state = reader.prepare("SELECT id, revision FROM store");
  return {
    loadTests: translated(reader, openLoadTestRows(reader)),
    sources: translated(reader, openSourceRows(reader)),
    reported: translated(reader, openReportedRows(reader)),
    samples: translated(reader, openSampleRows(reader)),
    measureSeries: translated(reader, openMeasureSeries(reader)),
    files: translated(reader, openFileRows(reader)),
    blocks: translated(reader, openBlockRows(reader)),
    endpoints: new EndpointNumbers(reader),
    texts: openTextRows(reader),
    /** The store's random id and current revision, which a new snapshot sees. */
    storeState: () => state.get() as { readonly id: string; readonly revision: number },
  };
}

/**
 * Readers see a commit before its sync has ended. If a power cut takes it back, its revision must not come again with other
 * data: it is the entity tag of answers. So a process that finds a log begins far above the stored revision, at a random
 * place, as even its own first commit may be taken back.
 */
const SKIPPED_MIN = 2 ** 28;

function writingOf(writer: DatabaseSync, mayHaveLost: boolean) {
  const raise = writer.prepare(
    "UPDATE store SET revision = max(revision + 1, ?) RETURNING revision",
  );
  const { revision } = writer.prepare("SELECT revision FROM store").get() as { revision: number };
  const least = mayHaveLost ? revision + randomInt(SKIPPED_MIN, 2 * SKIPPED_MIN) : 0;
  return {
    loadTests: openLoadTestRows(writer),
    sources: openSourceRows(writer),
    reported: openReportedRows(writer),
    samples: openSampleRows(writer),
    measureSeries: openMeasureSeries(writer),
    files: openFileRows(writer),
    blocks: openBlockWriter(writer),
    endpoints: openEndpointWriter(writer),
    texts: openTextRows(writer),
    /** Raises the store's revision. Call once per visible change. */
    nextRevision: () => Number(raise.get(least)?.["revision"]),
  };
}

/** Opens the tables of texts on one connection; `keep` requires a write transaction. Keys are the columns before the text. */
function openTextRows(database: DatabaseSync) {
  const open = (table: string, ...columns: readonly string[]) => {
    const isThis = columns.map((column) => `${column} = ?`).join(" AND ");
    const places = columns.map(() => "?").join();
    const find = database.prepare(`SELECT text FROM ${table} WHERE ${isThis}`);
    const remove = database.prepare(`DELETE FROM ${table} WHERE ${isThis}`);
    const replace = database.prepare(`INSERT OR REPLACE INTO ${table} VALUES (${places}, ?)`);
    return translated(database, {
      find: (...key: string[]) => find.get(...key)?.["text"] as string | undefined,
      /** `undefined` removes it. */
      keep(text: string | undefined, ...key: string[]): void {
        if (text === undefined) remove.run(...key);
        else replace.run(...key, text);
      },
    });
  };
  return {
    thresholds: open("thresholds", "project", "name"),
    senderStates: open("sender_states", "project", "environment", "load_test_id"),
    judgeNotes: open("judge_notes", "project"),
  };
}
