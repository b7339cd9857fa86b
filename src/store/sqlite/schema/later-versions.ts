/** Steps to version 13 and later, which `schema.ts` lists. */

import type { DatabaseSync } from "node:sqlite";

/** Blocks of measures, which the check of their kind did not allow, and the series of each load test. */
export function addMeasures(database: DatabaseSync): void {
  database.exec(`
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
  `);
}

export function addEvents(database: DatabaseSync): void {
  database.exec("ALTER TABLE load_tests ADD COLUMN events TEXT NOT NULL DEFAULT '[]'");
}

/** Numbers of entries grow: the last one is never deleted. */
export function addAudit(database: DatabaseSync): void {
  database.exec(`
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
  `);
}

export function addSignIns(database: DatabaseSync): void {
  database.exec("ALTER TABLE access_keys ADD COLUMN sign_in INTEGER NOT NULL DEFAULT 0");
}

/** Figures of load tests that were computed once; they go with their load test. */
export function addRunFigures(database: DatabaseSync): void {
  database.exec(`
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
  `);
}

/**
 * Both segments of a block share a row: a live batch writes fewer pages. Those of earlier blocks stay where they are, in
 * `distribution_segments`, as the upgrade would have to copy them all.
 */
export function joinSegments(database: DatabaseSync): void {
  database.exec(`
    ALTER TABLE plain_segments RENAME TO segments;
    ALTER TABLE segments RENAME COLUMN bytes TO plain;
    ALTER TABLE segments ADD COLUMN distribution BLOB;
  `);
}
