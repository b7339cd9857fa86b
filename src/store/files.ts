import { createHash, type Hash, randomUUID } from "node:crypto";
import { badParameter, UserError } from "../model/errors.ts";
import {
  fileTooLarge,
  type KeptFile,
  type NewFile,
  type SourcePlace,
  unknownFile,
} from "../model/kept-file.ts";
import { packChunk, unpackChunk } from "./block/packed-chunk.ts";
import type { Files, FileWriter } from "./store.ts";

/** A file as stored, and the number of its bytes. */
export interface StoredFile extends KeptFile {
  readonly content: number;
}

/** What a store has of files: rows, and chunks of contents that nothing refers to until they are shown. */
export interface FileRows extends Pick<Files, "list" | "remove"> {
  /** Returns the number of new content. */
  begin(): Promise<number>;
  /** Adds chunks from the sequence number `first` on. */
  put(content: number, first: number, chunks: readonly Uint8Array[]): Promise<void>;
  /** See `FileWriter.finish`. */
  show(content: number, file: ShownFile): Promise<KeptFile>;
  /** Lets content be deleted that was not shown. */
  drop(content: number): Promise<void>;
  find(loadTestId: string, id: string): Promise<StoredFile | undefined>;
  chunk(content: number, sequence: number): Promise<Uint8Array | undefined>;
}

export type ShownFile = NewFile & Pick<KeptFile, "sizeBytes" | "sha256">;

/** A new file, as it is shown. */
export function shownFile(file: ShownFile, nowMs: number): KeptFile {
  const { id = randomUUID(), name, sourceId, sizeBytes, sha256, addedAtMs = nowMs, author } = file;
  return { id, name, sourceId, sizeBytes, sha256, addedAtMs, author };
}

/** Not the number of the store's own. */
export function withoutContent(file: KeptFile & Partial<StoredFile>): KeptFile {
  const { content: _, ...kept } = file;
  return kept;
}

export function openFiles(rows: FileRows): Files {
  return {
    list: (loadTestId) => rows.list(loadTestId),
    remove: (loadTestId, id) => rows.remove(loadTestId, id),
    begin: (file) => new ContentWriter(rows, file),
    async find(loadTestId, id) {
      const { content, ...file } = (await rows.find(loadTestId, id)) ?? {};
      if (content === undefined) return undefined;
      const stored = { ...(file as KeptFile), content };
      const isThere = async () => (await rows.find(loadTestId, id)) !== undefined;
      return {
        ...(file as KeptFile),
        read: (from = 0, until = stored.sizeBytes) =>
          readContent({ chunk: (...at) => rows.chunk(...at), isThere }, stored, { from, until }),
      };
    },
  };
}

export function unknownSource(sourceId: string): UserError {
  return badParameter(`source: the load test has no source ${JSON.stringify(sourceId)}`);
}

/** Of a file that got no bytes for a day. */
export function contentDeleted(): Error {
  return new Error("the bytes of a file were deleted, as none were added for a day");
}

export function tooManyFiles(loadTestId: string, most: number): UserError {
  return new UserError(
    "too-many-files",
    `load test "${loadTestId}" may have at most ${most} attachments (setting attachmentsMax): remove some first`,
  );
}

/** Plain bytes of a chunk, but for the last one. */
const CHUNK_BYTES = 1024 * 1024;
/** Chunks stored in one write. */
const CHUNKS_AT_ONCE = 8;

/** Cuts, digests, compresses and stores bytes: at most two groups of chunks are in memory. */
class ContentWriter implements FileWriter {
  readonly #rows: FileRows;
  readonly #file: NewFile;
  readonly #hash: Hash = createHash("sha256");
  #sizeBytes = 0;
  #chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  #filled = 0;
  #packed: Promise<Uint8Array>[] = [];
  #sequence = 0;
  #content: Promise<number> | undefined;
  #stored: Promise<void> = Promise.resolve();
  #isOver = false;

  constructor(rows: FileRows, file: NewFile) {
    this.#rows = rows;
    this.#file = file;
  }

  async write(bytes: Uint8Array): Promise<void> {
    const { bytesMax = Infinity } = this.#file;
    this.#sizeBytes += bytes.length;
    if (this.#sizeBytes > bytesMax) throw fileTooLarge(this.#file, bytesMax);
    for (let at = 0; at < bytes.length;) {
      const part = bytes.subarray(at, at + CHUNK_BYTES - this.#filled);
      this.#chunk.set(part, this.#filled);
      this.#filled += part.length;
      at += part.length;
      if (this.#filled === CHUNK_BYTES) this.#pack();
      if (this.#packed.length === CHUNKS_AT_ONCE) await this.#store();
    }
  }

  async finish(place?: SourcePlace): Promise<KeptFile> {
    if (this.#filled > 0) this.#pack();
    await this.#store();
    await this.#stored;
    const sha256 = this.#hash.digest("hex");
    const content = await this.#begun();
    const file = { ...this.#file, ...place, sizeBytes: this.#sizeBytes, sha256 };
    const shown = await this.#rows.show(content, file);
    this.#isOver = true;
    return shown;
  }

  async discard(): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    try {
      await Promise.allSettled([this.#stored, ...this.#packed]);
      if (this.#content !== undefined) await this.#rows.drop(await this.#content);
    } catch {
      // Deleted as what a killed process leaves.
    }
  }

  #begun(): Promise<number> {
    return (this.#content ??= this.#rows.begin());
  }

  #pack(): void {
    const plain = this.#chunk.subarray(0, this.#filled);
    this.#hash.update(plain);
    const packed = packChunk(plain);
    packed.catch(() => undefined);
    this.#packed.push(packed);
    this.#chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    this.#filled = 0;
  }

  /** Waits for the group before only. */
  async #store(): Promise<void> {
    const packed = this.#packed.splice(0);
    await this.#stored;
    if (packed.length === 0) return;
    const first = this.#sequence;
    this.#sequence += packed.length;
    const store = async () => this.#rows.put(await this.#begun(), first, await Promise.all(packed));
    this.#stored = store();
    this.#stored.catch(() => undefined);
  }
}

interface ContentChunks extends Pick<FileRows, "chunk"> {
  readonly isThere: () => Promise<boolean>;
}

async function* readContent(
  { chunk, isThere }: ContentChunks,
  file: StoredFile,
  { from, until }: { readonly from: number; readonly until: number },
): AsyncGenerator<Uint8Array> {
  const isWhole = from === 0 && until === file.sizeBytes;
  const hash = createHash("sha256");
  for (let at = from - (from % CHUNK_BYTES); at < until; at += CHUNK_BYTES) {
    const packed = await chunk(file.content, at / CHUNK_BYTES);
    if (packed === undefined && !(await isThere())) throw unknownFile(file.id);
    const plain = packed && (await unpackChunk(packed, CHUNK_BYTES));
    const expected = Math.min(CHUNK_BYTES, file.sizeBytes - at);
    if (plain?.length !== expected) throw damaged(file, `its part from byte ${at} on is damaged`);
    if (isWhole) hash.update(plain);
    yield plain.subarray(Math.max(0, from - at), Math.min(expected, until - at));
  }
  if (isWhole && hash.digest("hex") !== file.sha256) {
    throw damaged(file, "its bytes do not have the SHA-256 that they had");
  }
}

function damaged({ name }: KeptFile, why: string): UserError {
  return new UserError("damaged-store", `the kept file ${JSON.stringify(name)} is damaged: ${why}`);
}
