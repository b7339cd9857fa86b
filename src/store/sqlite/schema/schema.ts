/** Migrates a store file to the version of this program. */

import type { DatabaseSync } from "node:sqlite";
import { UserError } from "../../../model/errors.ts";
import { countStoredRoles } from "./count-stored-roles.ts";
import { MIGRATIONS } from "./migrations.ts";

/** Application id in the file header: the bytes "Tach". */
const APPLICATION_ID = 0x54616368;

/** Earlier versions are recounted by current code after all steps. */
const ROLES_COUNTED_SINCE = 10;

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
    for (const step of migrations.slice(version)) {
      if (typeof step === "string") database.exec(step);
      else step(database);
    }
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
