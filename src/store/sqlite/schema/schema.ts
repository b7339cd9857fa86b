/** Tables of the store (docs/internals/formats/store.md) and migrations between versions. */

import type { DatabaseSync } from "node:sqlite";
import { randomBytes } from "node:crypto";
import { UserError } from "../../../model/errors.ts";
import * as later from "./later-versions.ts";
import { countStoredRoles } from "./count-stored-roles.ts";
import { removeInventedDistributions } from "./invented-distributions.ts";

/** Application id in the file header: the bytes "Tach". */
const APPLICATION_ID = 0x54616368;

/** Earlier versions are recounted by current code after all steps. */
const ROLES_COUNTED_SINCE = 10;

/** Migrates the file from one version to the next, inside a transaction. */
export type Migration = (database: DatabaseSync) => void;

/** Step i creates version i + 1; the first one fills an empty file. Append-only. */
export const MIGRATIONS: readonly Migration[] = [
  createVersion1,
  addTagsAndPins,
  addDetails,
  (database) => database.exec("CREATE TABLE removed_sources (number INTEGER PRIMARY KEY) STRICT"),
  dropBlocksBySource,
  listByStart,
  addRoles,
  digestInOtherWays,
  dropIndexOfLabels,
  addVersion10,
  (database) =>
    database.exec("CREATE TABLE thresholds (name TEXT PRIMARY KEY, text TEXT NOT NULL) STRICT"),
  (database) => database.exec("ALTER TABLE access_keys ADD COLUMN load_tests TEXT"),
  later.addMeasures,
  later.addEvents,
  (database) => database.exec("ALTER TABLE access_keys ADD COLUMN project TEXT"),
  later.addAudit,
  later.addSignIns,
  later.addRunFigures,
  later.joinSegments,
];

/**
 * Migrates the file to the latest version, in one transaction. Throws `store-too-new` if a newer program
 * wrote it, `store-unusable` if another program did.
 */
export function migrate(database: DatabaseSync, path: string, migrations = MIGRATIONS): void {
  if (versionOf(database, path, migrations.length) === migrations.length) return;
  database.exec("BEGIN IMMEDIATE");
  try {
    // Read again: another process may have migrated while this one waited for the lock.
    const version = versionOf(database, path, migrations.length);
    for (const step of migrations.slice(version)) step(database);
    const isCounted = version >= ROLES_COUNTED_SINCE || migrations.length < ROLES_COUNTED_SINCE;
    if (!isCounted) countStoredRoles(database);
    database.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
    database.exec(`PRAGMA user_version = ${migrations.length}`);
    database.exec("COMMIT");
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

/** Throws `store-unusable` for another program's file, `store-too-new` for a newer version. */
export function requireKnown(database: DatabaseSync, path: string): void {
  versionOf(database, path, MIGRATIONS.length);
}

/** Throws what `requireKnown` throws, and `store-unusable` if the file has to be migrated. */
export function requireMigrated(database: DatabaseSync, path: string): void {
  const version = versionOf(database, path, MIGRATIONS.length);
  if (version === MIGRATIONS.length) return;
  throw new UserError(
    "store-unusable",
    `cannot read the store ${path} read-only: it has version ${version}, and needs ` +
      `${MIGRATIONS.length}; run "tachograph verify" where it can be written, or on a copy of it`,
  );
}

function versionOf(database: DatabaseSync, path: string, known: number): number {
  const version = numberOf(database, "PRAGMA user_version");
  const application = numberOf(database, "PRAGMA application_id");
  const tables = numberOf(database, "SELECT count(*) FROM sqlite_schema");
  if (application !== APPLICATION_ID && tables > 0) {
    throw new UserError("store-unusable", `cannot open the store ${path}: not a Tachograph file`);
  }
  if (version > known) {
    throw new UserError(
      "store-too-new",
      `cannot open the store ${path}: it has version ${version}, this program supports ${known}`,
    );
  }
  return version;
}

function numberOf(database: DatabaseSync, sql: string): number {
  return Number(Object.values(database.prepare(sql).get() ?? {})[0]);
}

function createVersion1(database: DatabaseSync): void {
  database.exec(`
    CREATE TABLE store (
      id TEXT NOT NULL,
      revision INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE load_tests (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      name TEXT NOT NULL,
      created_at_ms INTEGER NOT NULL,
      revision INTEGER NOT NULL,
      blocks INTEGER NOT NULL DEFAULT 0,
      endpoints INTEGER NOT NULL DEFAULT 0,
      requests INTEGER NOT NULL DEFAULT 0,
      failed_requests INTEGER NOT NULL DEFAULT 0,
      first_second INTEGER,
      last_second INTEGER,
      crc INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    CREATE TABLE endpoints (
      load_test INTEGER NOT NULL,
      number INTEGER NOT NULL,
      label TEXT NOT NULL,
      crc INTEGER NOT NULL,
      PRIMARY KEY (load_test, number),
      UNIQUE (load_test, label)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE sources (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      load_test INTEGER NOT NULL,
      id TEXT NOT NULL,
      visibility TEXT NOT NULL CHECK (visibility IN ('live', 'staged')),
      touched_at_ms INTEGER NOT NULL,
      name TEXT,
      format TEXT,
      size_bytes INTEGER,
      sha256 TEXT,
      blocks INTEGER NOT NULL DEFAULT 0,
      endpoints BLOB NOT NULL DEFAULT x'',
      requests INTEGER NOT NULL DEFAULT 0,
      failed_requests INTEGER NOT NULL DEFAULT 0,
      first_second INTEGER,
      last_second INTEGER,
      UNIQUE (load_test, id)
    ) STRICT;
    CREATE TABLE batches (
      source INTEGER NOT NULL,
      sequence INTEGER NOT NULL,
      digest BLOB NOT NULL,
      PRIMARY KEY (source, sequence)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE blocks (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      load_test INTEGER NOT NULL,
      source INTEGER NOT NULL,
      endpoint_group INTEGER,
      endpoints BLOB NOT NULL,
      points INTEGER NOT NULL,
      first_second INTEGER NOT NULL,
      last_second INTEGER NOT NULL,
      plain_crc INTEGER NOT NULL,
      distribution_crc INTEGER NOT NULL,
      crc INTEGER NOT NULL,
      born INTEGER,
      died INTEGER,
      died_at_ms INTEGER
    ) STRICT;
    CREATE INDEX blocks_by_load_test ON blocks (load_test);
    CREATE INDEX blocks_by_source ON blocks (source);
    CREATE INDEX blocks_dead ON blocks (died_at_ms) WHERE died_at_ms IS NOT NULL;
    CREATE TABLE plain_segments (
      block INTEGER PRIMARY KEY,
      bytes BLOB NOT NULL
    ) STRICT;
    CREATE TABLE distribution_segments (
      block INTEGER PRIMARY KEY,
      bytes BLOB NOT NULL
    ) STRICT;
    CREATE TABLE access_keys (
      name TEXT PRIMARY KEY,
      digest TEXT NOT NULL UNIQUE,
      scopes TEXT NOT NULL,
      created_at_ms INTEGER NOT NULL,
      last_used_at_ms INTEGER,
      expires_at_ms INTEGER,
      revoked_at_ms INTEGER
    ) STRICT;
  `);
  const id = randomBytes(9).toString("base64url");
  database.prepare("INSERT INTO store (id, revision) VALUES (?, 0)").run(id);
}

function addTagsAndPins(database: DatabaseSync): void {
  database.exec(`
    ALTER TABLE load_tests ADD COLUMN tags TEXT NOT NULL DEFAULT '[]';
    ALTER TABLE load_tests ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE load_tests ADD COLUMN finished_at_ms INTEGER;
    ALTER TABLE load_tests ADD COLUMN last_data_at_ms INTEGER;
    CREATE INDEX load_tests_newest ON load_tests (created_at_ms DESC, id);
  `);
}

/** Blocks of failures and users next to those of points, and the levels of live blocks. */
function addDetails(database: DatabaseSync): void {
  database.exec(`
    ALTER TABLE blocks ADD COLUMN kind TEXT NOT NULL DEFAULT 'points'
      CHECK (kind IN ('points', 'failures', 'users'));
    ALTER TABLE blocks ADD COLUMN level INTEGER;
    UPDATE blocks SET level = 0
      WHERE died IS NULL AND source IN (SELECT number FROM sources WHERE visibility = 'live');
    CREATE INDEX blocks_to_seal ON blocks (source, kind, level) WHERE level IS NOT NULL;
  `);
}

/** Every live batch wrote a page of this index; load tests find the blocks of a source, too. */
function dropBlocksBySource(database: DatabaseSync): void {
  database.exec("DROP INDEX blocks_by_source");
}

/** Load tests are listed by start, not by creation. */
function listByStart(database: DatabaseSync): void {
  database.exec(`
    DROP INDEX load_tests_newest;
    CREATE INDEX load_tests_by_start
      ON load_tests (coalesce(first_second * 1000, created_at_ms) DESC, id);
  `);
}

/** Roles of a block's endpoints that are not requests. */
function addRoles(database: DatabaseSync): void {
  database.exec("ALTER TABLE blocks ADD COLUMN roles BLOB");
}

/** New file digests are not SHA-256; existing ones stay: docs/decisions/007. */
function digestInOtherWays(database: DatabaseSync): void {
  database.exec("ALTER TABLE sources RENAME COLUMN sha256 TO digest");
}

/** Sorting labels took most of an import with very many and half of the file; numbering reads them all anyway. */
function dropIndexOfLabels(database: DatabaseSync): void {
  database.exec(`
    CREATE TABLE endpoints_by_number (
      load_test INTEGER NOT NULL,
      number INTEGER NOT NULL,
      label TEXT NOT NULL,
      crc INTEGER NOT NULL,
      PRIMARY KEY (load_test, number)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO endpoints_by_number SELECT * FROM endpoints;
    DROP TABLE endpoints;
    ALTER TABLE endpoints_by_number RENAME TO endpoints;
  `);
}

/** Added by version 10: counts without repeated rows, file recognition, and data quality. */
function addVersion10(database: DatabaseSync): void {
  addRequestCounts(database);
  addIdentity(database);
  addQuality(database);
}

/** Number of rows of a load test, a source and a batch that are not requests. */
function addRequestCounts(database: DatabaseSync): void {
  database.exec(`
    ALTER TABLE load_tests ADD COLUMN repeated_requests INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE load_tests ADD COLUMN repeated_failed_requests INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE sources ADD COLUMN request_endpoints BLOB;
    ALTER TABLE sources ADD COLUMN role_counts BLOB;
    ALTER TABLE batches ADD COLUMN role_counts BLOB;
  `);
}

/** Index to recognise earlier states of a file and content in any load test. */
function addIdentity(database: DatabaseSync): void {
  database.exec(`
    ALTER TABLE sources ADD COLUMN marks TEXT;
    CREATE INDEX sources_by_digest ON sources (digest) WHERE digest IS NOT NULL;
  `);
}

/** Data-quality notes of a source, and percentiles computed by its load tool. */
function addQuality(database: DatabaseSync): void {
  database.exec(`
    ALTER TABLE sources ADD COLUMN quality TEXT;
    CREATE TABLE reported_percentiles (
      source INTEGER NOT NULL,
      sequence INTEGER NOT NULL,
      bytes BLOB NOT NULL,
      PRIMARY KEY (source, sequence)
    ) STRICT, WITHOUT ROWID;
  `);
  removeInventedDistributions(database);
}
