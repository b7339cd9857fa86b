import type { KeptFile } from "../../model/kept-file.ts";
import { unknownLoadTest } from "../../model/load-test.ts";
import {
  contentDeleted,
  openFiles,
  type ShownFile,
  shownFile,
  type StoredFile,
  tooManyFiles,
  unknownSource,
  withoutContent,
} from "../files.ts";
import { fileOf } from "../sqlite/catalogue/file-rows.ts";
import type { Files, StoreScope } from "../store.ts";
import {
  type Database,
  NOW_MS,
  type Row,
  type Run,
  type Statement,
  type Value,
} from "./database.ts";
import { IS_LOAD_TEST, keyOf } from "./load-test-table.ts";
import { bytesIn, textOf } from "./source-rows.ts";
import type { PostgresParts } from "./writes.ts";

/** Of the advisory lock of transactions that show files or delete contents, so that none gets bytes that go. */
const LOCK = 0x5461636a;
const LOCK_FILES = `SELECT pg_advisory_xact_lock(${LOCK})`;

const FILES = `SELECT files.*, size_bytes, contents.digest FROM files
  JOIN contents ON contents.number = content`;
const OF_LOAD_TEST = `${FILES} WHERE load_test = (SELECT number FROM load_tests WHERE ${IS_LOAD_TEST})`;
/** The original of a source that is not published is not seen yet. */
const VISIBLE = `${OF_LOAD_TEST} AND (source IS NULL OR EXISTS (SELECT 1 FROM sources
  WHERE sources.load_test = files.load_test AND sources.id = source AND sources.digest IS NOT NULL))`;

export function openPostgresFiles(
  { database, numbers, now }: PostgresParts,
  scope: StoreScope,
): Files {
  const key = (id: string) => keyOf({ scope, id });
  return openFiles({
    async list(loadTestId) {
      const rows = await database.read(`${VISIBLE} ORDER BY files.number`, key(loadTestId));
      return rows.map((row) => withoutContent(storedFile(row)));
    },
    async find(loadTestId, id) {
      const [row] = await database.read(`${VISIBLE} AND files.id = $4`, [...key(loadTestId), id]);
      return row && storedFile(row);
    },
    async begin() {
      const [number = 0] = await numbers.reserve(1);
      await database.write({
        sql: `INSERT INTO contents (number, size_bytes, written_at_ms) VALUES ($1, 0, ${NOW_MS})
          ON CONFLICT DO NOTHING`,
        values: [number],
      });
      return number;
    },
    async put(content, first, chunks) {
      const touched = touch(content, NOW_MS);
      const added = chunks.map((chunk, at) => ({
        sql: "INSERT INTO content_chunks VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
        values: [content, first + at, chunk],
      }));
      const work = async () => ({ result: undefined, statements: [touched, ...added] });
      await database.transaction(work, true);
    },
    show(content, shown) {
      const kept = shownFile(shown, now());
      return database.transaction(async (run) => {
        await run(LOCK_FILES);
        const of = key(shown.loadTestId);
        const { loadTest, taken, same } = await readForShowing(run, of, shown, kept);
        if (taken !== undefined) {
          const file = storedFile(taken);
          // Its own, if no answer came the first time.
          const statements = file.content === content ? [] : [touch(content, "0")];
          return { result: withoutContent(file), statements };
        }
        const written = await run("SELECT 1 FROM contents WHERE number = $1", [content]);
        if (same === undefined && written.length === 0) throw contentDeleted();
        const held = same === undefined ? content : Number(same["number"]);
        const complete = {
          sql: "UPDATE contents SET digest = $2, size_bytes = $3 WHERE number = $1",
          values: [content, kept.sha256, kept.sizeBytes],
        };
        const first = same === undefined ? complete : touch(content, "0");
        return { result: kept, statements: [first, addFile(loadTest, held, kept)] };
      }, true);
    },
    async drop(content) {
      await database.write(touch(content, "0"));
    },
    async chunk(content, sequence) {
      const [row] = await database.read(
        "SELECT bytes FROM content_chunks WHERE content = $1 AND sequence = $2",
        [content, sequence],
      );
      return row && bytesIn(row["bytes"]);
    },
    async remove(loadTestId, id) {
      await database.write({
        sql: `DELETE FROM files WHERE id = $4
          AND load_test = (SELECT number FROM load_tests WHERE ${IS_LOAD_TEST})`,
        values: [...key(loadTestId), id],
      });
    },
  });
}

/** Throws `unknown-load-test`, `bad-parameter`, `too-many-files`. */
async function readForShowing(
  run: Run,
  key: readonly Value[],
  { loadTestId, sourceId, attachmentsMax = Infinity }: ShownFile,
  { id, sha256 }: KeptFile,
) {
  const [found] = await run(`SELECT number FROM load_tests WHERE ${IS_LOAD_TEST}`, key);
  if (found === undefined) throw unknownLoadTest(loadTestId);
  const loadTest = Number(found["number"]);
  const source = bytesOf(sourceId);
  const [sources, [taken], attached, [same]] = await Promise.all([
    run("SELECT 1 FROM sources WHERE load_test = $1 AND id = $2", [loadTest, source]),
    run(`${FILES} WHERE load_test = $1 AND (files.id = $2 OR source = $3)`, [loadTest, id, source]),
    run("SELECT 1 FROM files WHERE load_test = $1 AND source IS NULL", [loadTest]),
    run("SELECT number FROM contents WHERE digest = $1", [sha256]),
  ]);
  if (sourceId !== undefined && sources.length === 0) throw unknownSource(sourceId);
  const isOver = sourceId === undefined && attached.length >= attachmentsMax;
  if (taken === undefined && isOver) throw tooManyFiles(loadTestId, attachmentsMax);
  return { loadTest, taken, same };
}

function addFile(loadTest: number, content: number, file: KeptFile): Statement {
  const { id, name, sourceId, addedAtMs, author } = file;
  return {
    sql: `INSERT INTO files (load_test, id, name, source, content, added_at_ms, author)
      VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    values: [
      loadTest,
      id,
      Buffer.from(name),
      bytesOf(sourceId),
      content,
      addedAtMs,
      bytesOf(author),
    ],
  };
}

function bytesOf(text: string | undefined): Uint8Array | null {
  return text === undefined ? null : Buffer.from(text);
}

function touch(content: number, atMs: string): Statement {
  return {
    sql: `UPDATE contents SET written_at_ms = ${atMs} WHERE number = $1 AND digest IS NULL`,
    values: [content],
  };
}

function storedFile({ name, source, author, ...row }: Row): StoredFile {
  return fileOf({
    ...row,
    name: textOf(name),
    source: source === null ? null : textOf(source),
    author: author === null ? null : textOf(author),
  });
}

const CHUNKS_AT_ONCE = 16;

/**
 * Deletes files whose load test or source is gone, and some of the bytes that no file has, or that none got since
 * `beforeMs`. Returns whether there may be more.
 */
export function deleteSomeFiles(database: Database, beforeMs: string): Promise<boolean> {
  return database.transaction(async (run) => {
    await run(LOCK_FILES);
    await run(
      `DELETE FROM files WHERE NOT EXISTS (SELECT 1 FROM load_tests WHERE number = load_test)
         OR (source IS NOT NULL AND NOT EXISTS
           (SELECT 1 FROM sources WHERE sources.load_test = files.load_test AND sources.id = source))`,
    );
    await run(
      `UPDATE contents SET digest = NULL, written_at_ms = 0
       WHERE digest IS NOT NULL AND NOT EXISTS (SELECT 1 FROM files WHERE content = contents.number)`,
    );
    const dead = `SELECT number FROM contents WHERE digest IS NULL AND written_at_ms < ${beforeMs}`;
    const deleted = await run(
      `DELETE FROM content_chunks WHERE (content, sequence) IN (
         SELECT content, sequence FROM content_chunks WHERE content IN (${dead})
         LIMIT ${CHUNKS_AT_ONCE}) RETURNING content`,
    );
    const isRest = deleted.length < CHUNKS_AT_ONCE;
    const statements = isRest
      ? [
          {
            sql: `DELETE FROM contents WHERE number IN (${dead})
              AND NOT EXISTS (SELECT 1 FROM content_chunks WHERE content = contents.number)`,
            values: [],
          },
        ]
      : [];
    return { result: !isRest, statements };
  }, true);
}
