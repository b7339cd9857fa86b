/** The tables of a store file (docs/internals/formats/store.md). */

import type { DatabaseSync } from "node:sqlite";
import { randomBytes } from "node:crypto";
import { UserError } from "../../model/errors.ts";
import { COMPUTED_FIGURES } from "../../model/load-test/search.ts";
import { LAYOUT } from "../refusals.ts";
import { OVERALL_FIGURES } from "../store.ts";

/** `application_id` in the file header: the bytes "Tgph". */
const APPLICATION_ID = 0x54677068;

/** Of files that were written before version 1 of the schema. */
const FORMER_APPLICATION_ID = 0x54616368;

const FROM_DEVELOPMENT =
  "a development version wrote it; import the files again into another directory";

/** `user_version` in the file header. */
export const SCHEMA_VERSION = 1;

/**
 * Creates the tables in an empty file. Throws `store-too-new` if a newer program wrote it, and `store-unusable` if another
 * program did or if it is of a development version.
 */
export function createTables(database: DatabaseSync, path: string): void {
  if (!isEmpty(database, path)) return;
  database.exec("BEGIN IMMEDIATE");
  try {
    // Read again: another process may have created them while this one waited for the lock.
    if (isEmpty(database, path)) {
      database.exec(TABLES);
      const id = randomBytes(9).toString("base64url");
      database.prepare("INSERT INTO store (id, layout, revision) VALUES (?, ?, 0)").run(id, LAYOUT);
      database.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
      database.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`);
    }
    database.exec("COMMIT");
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

/** Throws what `createTables` throws, and `store-unusable` for an empty file. */
export function requireTables(database: DatabaseSync, path: string): void {
  if (isEmpty(database, path)) throw unusable(path, "it is empty");
}

function isEmpty(database: DatabaseSync, path: string): boolean {
  const application = numberOf(database, "PRAGMA application_id");
  if (application === FORMER_APPLICATION_ID) throw unusable(path, FROM_DEVELOPMENT);
  if (application !== APPLICATION_ID) {
    if (numberOf(database, "SELECT count(*) FROM sqlite_schema") === 0) return true;
    throw unusable(path, "not a Tachograph file");
  }
  const version = numberOf(database, "PRAGMA user_version");
  if (version === SCHEMA_VERSION) {
    if (database.prepare("SELECT * FROM store").get()?.["layout"] !== LAYOUT)
      throw unusable(path, FROM_DEVELOPMENT);
    requireDefinitions(database, path);
    return false;
  }
  throw new UserError(
    "store-too-new",
    `cannot open the store ${path}: it has version ${version}, this program supports ${SCHEMA_VERSION}`,
  );
}

/**
 * SQLite keeps the text of definitions, and no page has a checksum: a column that changed case in one bit is still found, but
 * its values are missing from every row.
 */
function requireDefinitions(database: DatabaseSync, path: string): void {
  const definitions = database
    .prepare("SELECT name, sql FROM sqlite_schema WHERE name NOT GLOB 'sqlite_*'")
    .all() as { readonly name: string; readonly sql: string }[];
  const changed = definitions.find(({ sql }) => !TABLES.includes(sql));
  if (changed === undefined) return;
  throw new UserError(
    "damaged-store",
    `cannot open the store ${path}: the definition of ${changed.name} is not the one that was written; restore a backup`,
  );
}

function unusable(path: string, why: string): UserError {
  return new UserError("store-unusable", `cannot open the store ${path}: ${why}`);
}

function numberOf(database: DatabaseSync, sql: string): number {
  return Number(Object.values(database.prepare(sql).get() ?? {})[0]);
}

/** Expressions of indexes: statements that use them have the same ones. A load test has no hour, but may have an environment. */
export const ENVIRONMENT_OF_HOUR = "iif(hour IS NULL, '', environment)";
export const STARTED_AT_MS = "coalesce(first_second * 1000, created_at_ms)";
/** Of `COMPUTED_FIGURES`, by index. */
export const computedFigure = (index: number): string => `json_extract(text, '$[${index}]')`;

/** Where there is no project, it is empty. */
const TABLES = `
  CREATE TABLE store (
    id TEXT NOT NULL,
    layout INTEGER NOT NULL,
    revision INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE load_tests (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    project TEXT NOT NULL,
    environment TEXT,
    hour INTEGER,
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    blocks INTEGER NOT NULL DEFAULT 0,
    endpoints INTEGER NOT NULL DEFAULT 0,
    requests INTEGER NOT NULL DEFAULT 0,
    failed_requests INTEGER NOT NULL DEFAULT 0,
    hidden_endpoints INTEGER NOT NULL DEFAULT 0,
    uncounted_requests INTEGER NOT NULL DEFAULT 0,
    uncounted_failed_requests INTEGER NOT NULL DEFAULT 0,
    first_second INTEGER,
    last_second INTEGER,
    finished_at_ms INTEGER,
    last_data_at_ms INTEGER,
    attributes TEXT NOT NULL DEFAULT '{}',
    crc INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE UNIQUE INDEX load_tests_by_id ON load_tests (project, ${ENVIRONMENT_OF_HOUR}, id);
  CREATE INDEX load_tests_by_start
    ON load_tests (project, ${ENVIRONMENT_OF_HOUR}, ${STARTED_AT_MS} DESC, id);

  -- Not indexed by label: numbering labels reads them all, and sorting very many takes most of an import.
  CREATE TABLE endpoints (
    load_test INTEGER NOT NULL,
    number INTEGER NOT NULL,
    label TEXT NOT NULL,
    crc INTEGER NOT NULL,
    PRIMARY KEY (load_test, number)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE sources (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    load_test INTEGER NOT NULL,
    id TEXT NOT NULL,
    visibility TEXT NOT NULL CHECK (visibility IN ('live', 'staged')),
    last_batch_at_ms INTEGER NOT NULL,
    name TEXT,
    format TEXT,
    size_bytes INTEGER,
    digest TEXT,
    marks TEXT,
    quality TEXT,
    blocks INTEGER NOT NULL DEFAULT 0,
    endpoints BLOB NOT NULL DEFAULT x'',
    request_endpoints BLOB,
    role_counts BLOB,
    requests INTEGER NOT NULL DEFAULT 0,
    failed_requests INTEGER NOT NULL DEFAULT 0,
    first_second INTEGER,
    last_second INTEGER,
    UNIQUE (load_test, id)
  ) STRICT;
  CREATE INDEX sources_by_digest ON sources (digest) WHERE digest IS NOT NULL;

  CREATE TABLE removed_sources (number INTEGER PRIMARY KEY) STRICT;

  CREATE TABLE batches (
    source INTEGER NOT NULL,
    sequence INTEGER NOT NULL,
    digest BLOB NOT NULL,
    role_counts BLOB,
    PRIMARY KEY (source, sequence)
  ) STRICT, WITHOUT ROWID;

  -- Those of live batches are shown from their revision on, those of staged ones from 0.
  CREATE TABLE samples (
    source INTEGER NOT NULL,
    sequence INTEGER NOT NULL,
    shown_from INTEGER NOT NULL,
    bytes BLOB NOT NULL,
    PRIMARY KEY (source, sequence)
  ) STRICT;

  CREATE TABLE reported_percentiles (
    source INTEGER NOT NULL,
    sequence INTEGER NOT NULL,
    bytes BLOB NOT NULL,
    PRIMARY KEY (source, sequence)
  ) STRICT, WITHOUT ROWID;

  -- Not indexed by source: every live batch would write a page of it, and load tests find the blocks of a source, too.
  CREATE TABLE blocks (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    load_test INTEGER NOT NULL,
    source INTEGER NOT NULL,
    kind TEXT NOT NULL,
    endpoint_group INTEGER,
    endpoints BLOB NOT NULL,
    roles BLOB,
    points INTEGER NOT NULL,
    first_second INTEGER NOT NULL,
    last_second INTEGER NOT NULL,
    plain_crc INTEGER NOT NULL,
    distribution_crc INTEGER NOT NULL,
    crc INTEGER NOT NULL,
    shown_from INTEGER,
    shown_until INTEGER,
    hidden_at_ms INTEGER,
    level INTEGER
  ) STRICT;
  CREATE INDEX blocks_by_load_test ON blocks (load_test);
  CREATE INDEX blocks_hidden ON blocks (hidden_at_ms) WHERE hidden_at_ms IS NOT NULL;
  CREATE INDEX blocks_to_merge ON blocks (source, kind, level) WHERE level IS NOT NULL;

  CREATE TABLE segments (
    block INTEGER PRIMARY KEY,
    plain BLOB NOT NULL,
    distribution BLOB
  ) STRICT;

  CREATE TABLE measure_series (
    load_test INTEGER NOT NULL,
    key TEXT NOT NULL,
    PRIMARY KEY (load_test, key)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE figures (
    number INTEGER PRIMARY KEY,
    load_test INTEGER NOT NULL,
    part TEXT NOT NULL,
    revision INTEGER NOT NULL,
    text TEXT NOT NULL,
    UNIQUE (load_test, part)
  ) STRICT;
  ${COMPUTED_FIGURES.map(
    (figure, index) => `CREATE INDEX figures_by_${figure} ON figures (${computedFigure(index)})
      WHERE part = '${OVERALL_FIGURES}';`,
  ).join("\n")}
  CREATE TRIGGER figures_end AFTER DELETE ON load_tests BEGIN
    DELETE FROM figures WHERE load_test = old.number;
  END;

  -- Bytes of files; without a digest, they are still written, or no file has them any more.
  CREATE TABLE contents (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    digest TEXT UNIQUE,
    size_bytes INTEGER NOT NULL,
    written_at_ms INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX contents_staged ON contents (written_at_ms) WHERE digest IS NULL;

  CREATE TABLE content_chunks (
    content INTEGER NOT NULL,
    sequence INTEGER NOT NULL,
    bytes BLOB NOT NULL,
    PRIMARY KEY (content, sequence)
  ) STRICT;

  CREATE TABLE files (
    number INTEGER PRIMARY KEY,
    load_test INTEGER NOT NULL,
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    source TEXT,
    content INTEGER NOT NULL,
    added_at_ms INTEGER NOT NULL,
    author TEXT,
    UNIQUE (load_test, id)
  ) STRICT;
  CREATE INDEX files_by_content ON files (content);
  CREATE TRIGGER files_end AFTER DELETE ON load_tests BEGIN
    DELETE FROM files WHERE load_test = old.number;
  END;
  CREATE TRIGGER originals_end AFTER DELETE ON sources BEGIN
    DELETE FROM files WHERE load_test = old.load_test AND source = old.id;
  END;
  CREATE TRIGGER contents_end AFTER DELETE ON files
  WHEN NOT EXISTS (SELECT 1 FROM files WHERE content = old.content) BEGIN
    UPDATE contents SET digest = NULL, written_at_ms = 0 WHERE number = old.content;
  END;

  CREATE TABLE thresholds (
    project TEXT NOT NULL,
    name TEXT NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (project, name)
  ) STRICT, WITHOUT ROWID;

  -- Of a load test, or of an environment.
  CREATE TABLE sender_states (
    project TEXT NOT NULL,
    environment TEXT NOT NULL,
    load_test_id TEXT NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (project, environment, load_test_id)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE judge_notes (project TEXT PRIMARY KEY, text TEXT NOT NULL) STRICT, WITHOUT ROWID;

  CREATE TABLE access_keys (
    name TEXT PRIMARY KEY,
    digest TEXT NOT NULL UNIQUE,
    scopes TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL,
    last_used_at_ms INTEGER,
    expires_at_ms INTEGER,
    revoked_at_ms INTEGER,
    opened_load_tests TEXT,
    opens_files INTEGER NOT NULL DEFAULT 0,
    project TEXT,
    sign_in INTEGER NOT NULL DEFAULT 0
  ) STRICT;

  -- Numbers grow: the last entry is never deleted.
  CREATE TABLE audit (
    number INTEGER PRIMARY KEY,
    at_ms INTEGER NOT NULL,
    project TEXT,
    key_name TEXT,
    operation TEXT NOT NULL,
    target TEXT,
    outcome TEXT NOT NULL,
    details TEXT
  ) STRICT;
  CREATE INDEX audit_by_key ON audit (key_name, project);
`;
