/** Steps between versions of the store (docs/internals/formats/store.md). */

import type { DatabaseSync } from "node:sqlite";
import { randomBytes } from "node:crypto";
import { removeInventedDistributions } from "./invented-distributions.ts";

/** Migrates the file from one version to the next, inside a transaction: SQL, or a function. */
export type Migration = string | ((database: DatabaseSync) => void);

/** Step i creates version i + 1; the first one fills an empty file. Append-only. */
export const MIGRATIONS: readonly Migration[] = [
  createVersion1,
  `
    ALTER TABLE load_tests ADD COLUMN tags TEXT NOT NULL DEFAULT '[]';
    ALTER TABLE load_tests ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE load_tests ADD COLUMN finished_at_ms INTEGER;
    ALTER TABLE load_tests ADD COLUMN last_data_at_ms INTEGER;
    CREATE INDEX load_tests_newest ON load_tests (created_at_ms DESC, id);
  `,
  // Blocks of failures and users next to those of points, and the levels of live blocks.
  `
    ALTER TABLE blocks ADD COLUMN kind TEXT NOT NULL DEFAULT 'points'
      CHECK (kind IN ('points', 'failures', 'users'));
    ALTER TABLE blocks ADD COLUMN level INTEGER;
    UPDATE blocks SET level = 0
      WHERE died IS NULL AND source IN (SELECT number FROM sources WHERE visibility = 'live');
    CREATE INDEX blocks_to_seal ON blocks (source, kind, level) WHERE level IS NOT NULL;
  `,
  "CREATE TABLE removed_sources (number INTEGER PRIMARY KEY) STRICT",
  // Every live batch wrote a page of this index; load tests find the blocks of a source, too.
  "DROP INDEX blocks_by_source",
  // Load tests are listed by start, not by creation.
  `
    DROP INDEX load_tests_newest;
    CREATE INDEX load_tests_by_start
      ON load_tests (coalesce(first_second * 1000, created_at_ms) DESC, id);
  `,
  // Roles of a block's endpoints that are not requests.
  "ALTER TABLE blocks ADD COLUMN roles BLOB",
  // New file digests are not SHA-256; existing ones stay: docs/decisions/007.
  "ALTER TABLE sources RENAME COLUMN sha256 TO digest",
  // Sorting labels took most of an import with very many and half of the file; numbering reads them all anyway.
  `
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
  `,
  addVersion10,
  "CREATE TABLE thresholds (name TEXT PRIMARY KEY, text TEXT NOT NULL) STRICT",
  "ALTER TABLE access_keys ADD COLUMN load_tests TEXT",
  // Blocks of measures, which the check of their kind did not allow, and the series of each load test.
  `
    CREATE TABLE blocks_of_kinds (
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
      born INTEGER,
      died INTEGER,
      died_at_ms INTEGER,
      level INTEGER
    ) STRICT;
    INSERT INTO blocks_of_kinds
      SELECT number, load_test, source, kind, endpoint_group, endpoints, roles, points, first_second,
        last_second, plain_crc, distribution_crc, crc, born, died, died_at_ms, level
      FROM blocks;
    -- Numbers of deleted blocks are not used again.
    DELETE FROM sqlite_sequence WHERE name = 'blocks_of_kinds';
    INSERT INTO sqlite_sequence
      SELECT 'blocks_of_kinds', seq FROM sqlite_sequence WHERE name = 'blocks';
    DROP TABLE blocks;
    ALTER TABLE blocks_of_kinds RENAME TO blocks;
    CREATE INDEX blocks_by_load_test ON blocks (load_test);
    CREATE INDEX blocks_dead ON blocks (died_at_ms) WHERE died_at_ms IS NOT NULL;
    CREATE INDEX blocks_to_seal ON blocks (source, kind, level) WHERE level IS NOT NULL;
    CREATE TABLE measure_series (
      load_test INTEGER NOT NULL,
      key TEXT NOT NULL,
      PRIMARY KEY (load_test, key)
    ) STRICT, WITHOUT ROWID;
  `,
  "ALTER TABLE load_tests ADD COLUMN events TEXT NOT NULL DEFAULT '[]'",
  "ALTER TABLE access_keys ADD COLUMN project TEXT",
  // Numbers of entries grow: the last one is never deleted.
  `
    CREATE TABLE audit (
      number INTEGER PRIMARY KEY,
      at_ms INTEGER NOT NULL,
      project TEXT,
      key TEXT,
      operation TEXT NOT NULL,
      target TEXT,
      outcome TEXT NOT NULL,
      details TEXT
    ) STRICT;
  `,
  "ALTER TABLE access_keys ADD COLUMN sign_in INTEGER NOT NULL DEFAULT 0",
  // Figures of load tests that were computed once; they go with their load test.
  `
    CREATE TABLE run_figures (
      number INTEGER PRIMARY KEY,
      load_test INTEGER NOT NULL,
      part TEXT NOT NULL,
      revision INTEGER NOT NULL,
      text TEXT NOT NULL,
      UNIQUE (load_test, part)
    ) STRICT;
    CREATE TRIGGER run_figures_end AFTER DELETE ON load_tests BEGIN
      DELETE FROM run_figures WHERE load_test = old.number;
    END;
  `,
  // Both segments of a block share a row: a live batch writes fewer pages. Those of earlier blocks stay where they are, in
  // `distribution_segments`, as the upgrade would have to copy them all.
  `
    ALTER TABLE plain_segments RENAME TO segments;
    ALTER TABLE segments RENAME COLUMN bytes TO plain;
    ALTER TABLE segments ADD COLUMN distribution BLOB;
  `,
];

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

/** Counts without repeated rows, recognition of files and contents, and data quality. */
function addVersion10(database: DatabaseSync): void {
  database.exec(`
    ALTER TABLE load_tests ADD COLUMN repeated_requests INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE load_tests ADD COLUMN repeated_failed_requests INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE sources ADD COLUMN request_endpoints BLOB;
    ALTER TABLE sources ADD COLUMN role_counts BLOB;
    ALTER TABLE batches ADD COLUMN role_counts BLOB;
    ALTER TABLE sources ADD COLUMN marks TEXT;
    CREATE INDEX sources_by_digest ON sources (digest) WHERE digest IS NOT NULL;
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
