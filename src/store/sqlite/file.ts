/** The file of the store, opened: one connection that writes, one that reads, and the queue between. */

import type { DatabaseSync } from "node:sqlite";
import { DEFAULT_LABEL_LIMIT, type LabelLimit } from "../label-limit.ts";
import { type BlockRows, openBlockRows } from "./block-rows.ts";
import { type BlockWriter, openBlockWriter } from "./block-writer.ts";
import { openReader, openWriter, quickCheck, waitBriefly } from "./connection.ts";
import { FreeRoom } from "./free-room.ts";
import { EndpointNumbers, openEndpointWriter } from "./endpoint-numbers.ts";
import { type LoadTestRows, openLoadTestRows } from "./load-test-rows.ts";
import { migrate } from "./schema.ts";
import { openSourceRows, type SourceRows } from "./source-rows.ts";
import { schemaError, translated } from "./sql-error.ts";
import { WriteQueue } from "./write-queue.ts";

export interface SqliteFile {
  readonly path: string;
  readonly now: () => number;
  readonly labelLimit: LabelLimit;
  /** Load tests of more endpoints are read without a list of them (`many-endpoints.ts`). */
  readonly listedMax: number;
  readonly room: FreeRoom;
  readonly queue: WriteQueue;
  readonly reader: DatabaseSync;
  readonly reading: Reading;
  readonly writer: DatabaseSync;
  /** To be used only within a write of the queue. */
  readonly writing: Writing;
  /** Waits for writes that have begun, empties the log and closes both connections. */
  close(): Promise<void>;
}

interface Reading {
  readonly loadTests: LoadTestRows;
  readonly sources: SourceRows;
  readonly blocks: BlockRows;
  readonly endpoints: EndpointNumbers;
  /** The store's random id and its revision: what a snapshot that begins now sees. */
  storeState(): { readonly id: string; readonly revision: number };
}

interface Writing {
  readonly loadTests: LoadTestRows;
  readonly sources: SourceRows;
  readonly blocks: BlockWriter;
  readonly endpoints: ReturnType<typeof openEndpointWriter>;
  /** Raises the store's revision by one: once for each visible change. */
  nextRevision(): number;
}

/** Some megabytes, which are read in some milliseconds. */
const LISTED_MAX = 16_384;

export interface FileOptions {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** @default `LABELS_MAX`, and nobody is told */
  readonly labelLimit?: LabelLimit | undefined;
  /** Room on the disk that batches leave free (`free-room.ts`). @default 0 */
  readonly freeBytesMin?: number | undefined;
  /** See `SqliteFile`; only tests choose another. @default some megabytes of them */
  readonly listedMax?: number | undefined;
  /** Files up to this size are looked through for damage when they are opened. */
  readonly quickCheckBytesMax: number;
}

/** Opens the file, creating or migrating it. Throws what `connection.ts` and `schema.ts` throw. */
export function openFile(path: string, options: FileOptions): SqliteFile {
  const writer = openWriter(path);
  let reader: DatabaseSync | undefined;
  try {
    migrate(writer, path);
    quickCheck(writer, path, options.quickCheckBytesMax);
    reader = openReader(path);
    waitBriefly(writer);
    const queue = new WriteQueue(writer);
    const [reading, writing] = [readingOf(reader), writingOf(writer)];
    const { now, labelLimit = DEFAULT_LABEL_LIMIT, freeBytesMin = 0 } = options;
    const { listedMax = LISTED_MAX } = options;
    const room = new FreeRoom(path, { bytesMin: freeBytesMin });
    const close = () => closeFile(queue, writer, reader);
    return {
      path,
      now,
      labelLimit,
      listedMax,
      room,
      queue,
      reader,
      reading,
      writer,
      writing,
      close,
    };
  } catch (error) {
    reader?.close();
    writer.close();
    throw schemaError(error, path);
  }
}

/** Brings the log into the file and cuts it to nothing, as far as other processes let it. */
export function emptyLog(writer: DatabaseSync): void {
  writer.exec("PRAGMA wal_checkpoint(TRUNCATE)");
}

async function closeFile(
  queue: WriteQueue,
  writer: DatabaseSync,
  reader: DatabaseSync | undefined,
): Promise<void> {
  await queue.close();
  reader?.close();
  try {
    emptyLog(writer);
  } finally {
    writer.close();
  }
}

function readingOf(reader: DatabaseSync): Reading {
  const state = reader.prepare("SELECT id, revision FROM store");
  return {
    loadTests: translated(reader, openLoadTestRows(reader)),
    sources: translated(reader, openSourceRows(reader)),
    blocks: translated(reader, openBlockRows(reader)),
    endpoints: new EndpointNumbers(reader),
    storeState: () => state.get() as { id: string; revision: number },
  };
}

function writingOf(writer: DatabaseSync): Writing {
  const raise = writer.prepare("UPDATE store SET revision = revision + 1 RETURNING revision");
  return {
    loadTests: openLoadTestRows(writer),
    sources: openSourceRows(writer),
    blocks: openBlockWriter(writer),
    endpoints: openEndpointWriter(writer),
    nextRevision: () => Number(raise.get()?.["revision"]),
  };
}
