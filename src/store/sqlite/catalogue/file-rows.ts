import { requireDeleted } from "../file/listed-rows.ts";
import type { DatabaseSync } from "node:sqlite";
import type { KeptFile } from "../../../model/kept-file.ts";
import type { ShownFile, StoredFile } from "../../files.ts";

/** A file with its content. */
interface FileRow {
  readonly id: string;
  readonly name: string;
  readonly source: string | null;
  readonly content: number;
  readonly added_at_ms: number;
  readonly author: string | null;
  readonly size_bytes: number;
  readonly digest: string;
}

/** The original of a source that is not published is not seen yet. */
const VISIBLE = `SELECT files.*, size_bytes, digest FROM files JOIN contents ON contents.number = content
  WHERE load_test = :loadTest AND (source IS NULL OR EXISTS (SELECT 1 FROM sources
    WHERE sources.load_test = files.load_test AND id = source AND sources.digest IS NOT NULL))`;

/** Opens the tables on one connection; changing methods require a write transaction. */
export function openFileRows(database: DatabaseSync) {
  const list = database.prepare(`${VISIBLE} ORDER BY files.number`);
  const find = database.prepare(`${VISIBLE} AND files.id = :id`);
  const taken = database.prepare(
    `SELECT files.*, size_bytes, digest FROM files JOIN contents ON contents.number = content
     WHERE load_test = ? AND (files.id = ? OR source = ?)`,
  );
  const any = database.prepare("SELECT 1 FROM files WHERE load_test = ? LIMIT 1");
  const attached = database.prepare(
    "SELECT count(*) AS count FROM files WHERE load_test = ? AND source IS NULL",
  );
  const insert = database.prepare(
    `INSERT INTO files (load_test, id, name, source, content, added_at_ms, author)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  const move = database.prepare(
    `UPDATE files SET source = :to WHERE load_test = :loadTest AND source = :from
       AND NOT EXISTS (SELECT 1 FROM files WHERE load_test = :loadTest AND source = :to)`,
  );
  const remove = database.prepare("DELETE FROM files WHERE load_test = ? AND id = ?");
  const begin = database.prepare(
    "INSERT INTO contents (size_bytes, written_at_ms) VALUES (0, ?) RETURNING number",
  );
  const touch = database.prepare(
    "UPDATE contents SET written_at_ms = ? WHERE number = ? AND digest IS NULL",
  );
  const same = database.prepare("SELECT number FROM contents WHERE digest = ?");
  const complete = database.prepare(
    "UPDATE contents SET digest = ?, size_bytes = ? WHERE number = ?",
  );
  const addChunk = database.prepare("INSERT INTO content_chunks VALUES (?, ?, ?)");
  const chunk = database.prepare(
    "SELECT bytes FROM content_chunks WHERE content = ? AND sequence = ?",
  );
  const dead = database.prepare(
    "SELECT number FROM contents WHERE digest IS NULL AND written_at_ms < ? LIMIT 1",
  );
  const forgetChunks = database.prepare(
    `DELETE FROM content_chunks WHERE content = :content AND sequence IN
       (SELECT sequence FROM content_chunks WHERE content = :content LIMIT :most)`,
  );
  const forget = database.prepare("DELETE FROM contents WHERE number = ?");
  return {
    list: (loadTest: number) => list.all({ loadTest }).map(fileOf),
    find: (loadTest: number, id: string) => fileIn(find.get({ loadTest, id })),
    /** A file with the id, or the original of the source. */
    taken: (loadTest: number, { id, sourceId }: Pick<ShownFile, "id" | "sourceId">) =>
      fileIn(taken.get(loadTest, id ?? null, sourceId ?? null)),
    hasAny: (loadTest: number) => any.get(loadTest) !== undefined,
    attachments: (loadTest: number) => Number(attached.get(loadTest)?.["count"]),
    add(loadTest: number, content: number, file: KeptFile): void {
      const { id, name, sourceId = null, addedAtMs, author = null } = file;
      insert.run(loadTest, id, name, sourceId, content, addedAtMs, author);
    },
    /** Makes the original of a source that of another one, unless that has one. */
    moveOriginal(loadTest: number, from: string, to: string): void {
      move.run({ loadTest, from, to });
    },
    remove(loadTest: number, id: string): void {
      remove.run(loadTest, id);
    },
    begin: (nowMs: number) => Number(begin.get(nowMs)?.["number"]),
    /** Returns whether the content is still there. */
    touch: (content: number, nowMs: number) => Number(touch.run(nowMs, content).changes) === 1,
    withDigest: (digest: string) => same.get(digest)?.["number"] as number | undefined,
    /** Returns whether the content is still there. */
    complete: (content: number, { sha256, sizeBytes }: Pick<KeptFile, "sha256" | "sizeBytes">) =>
      Number(complete.run(sha256, sizeBytes, content).changes) === 1,
    addChunk(content: number, sequence: number, bytes: Uint8Array): void {
      addChunk.run(content, sequence, bytes);
    },
    chunk: (content: number, sequence: number) =>
      chunk.get(content, sequence)?.["bytes"] as Uint8Array | undefined,
    /** Whether content remains to be deleted: no file has it, or none got it since `beforeMs`. */
    anyDead: (beforeMs: number) => dead.get(beforeMs) !== undefined,
    /** Deletes at most this many chunks of it. Throws `damaged-store`. */
    forgetSome(beforeMs: number, most: number): void {
      const content = dead.get(beforeMs)?.["number"];
      if (content === undefined) return;
      const { changes } = forgetChunks.run({ content, most });
      if (Number(changes) < most) requireDeleted("contents", forget.run(content));
    },
  };
}

function fileIn(row: unknown): StoredFile | undefined {
  return row === undefined ? undefined : fileOf(row);
}

export function fileOf(row: unknown): StoredFile {
  const { id, name, source, content, added_at_ms, author, size_bytes, digest } = row as FileRow;
  return {
    id,
    name,
    ...(source === null ? {} : { sourceId: source }),
    sizeBytes: size_bytes,
    sha256: digest,
    addedAtMs: added_at_ms,
    ...(author === null ? {} : { author }),
    content,
  };
}
