/** How the tables and views of the store come to be on each server, and how it is known that they are there. */

import { UserError } from "../../model/errors.ts";
import { ClickHouseError } from "./clickhouse-error.ts";
import type { Cluster } from "./cluster.ts";
import { createTable, type DdlPlace, SCHEMA_VERSION, TABLES } from "./ddl.ts";
import { numbersIn, type Server, serversOf } from "./each-server.ts";
import { requireTables } from "./require-tables.ts";
import { createView, VIEWS } from "./views.ts";

/** Statements that bring a server from one version to the next; each may run again. */
type Migration = (place: DdlPlace) => readonly string[];

/** Step i makes version i + 1. Never changed, only added to. */
const MIGRATIONS: readonly Migration[] = [
  (place) => [
    ...TABLES.map((table) => createTable(table, place)),
    ...VIEWS.map((view) => createView(view, place)),
  ],
];

/** What `migrate` did on one server. */
export interface MigratedServer {
  readonly url: string;
  /** 0 where there was nothing. */
  readonly fromVersion: number;
  readonly toVersion: number;
}

/**
 * Brings the tables of each server to the version that this program knows, one server after the
 * other. It may run again, and twice at once. Throws `store-too-new`, `store-unusable` where other
 * tables are in the way, and `store-unreachable` at the first server that is away: those before it
 * are done then.
 */
export async function migrate(cluster: Cluster): Promise<readonly MigratedServer[]> {
  const migrated: MigratedServer[] = [];
  for (const server of serversOf(cluster)) migrated.push(await migrateServer(server));
  return migrated;
}

/**
 * Makes sure that the tables of each server that can be reached are those that this program knows,
 * made with these settings. Throws `store-unusable`, `store-too-new`, and `store-unreachable` where
 * no server can be reached.
 */
export async function requireSchema(cluster: Cluster): Promise<void> {
  const checked = await Promise.allSettled(serversOf(cluster).map(requireServer));
  const failures = checked.flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
  const mistake: unknown = failures.find((failure) => !isOfOneServer(failure));
  if (mistake !== undefined) throw mistake;
  if (failures.length === checked.length) throw failures[0];
}

async function migrateServer(server: Server): Promise<MigratedServer> {
  const { url, settings } = server;
  await server.run(`CREATE DATABASE IF NOT EXISTS \`${settings.database}\``);
  const place = await server.ddlPlace();
  await server.run(createTable(SCHEMA_VERSION, place));
  const fromVersion = await versionOf(server);
  for (const [index, migration] of MIGRATIONS.entries()) {
    if (index < fromVersion) continue;
    for (const statement of migration(place)) await server.run(statement);
    // Two that do it at once write the same number twice, which changes nothing.
    await server.run(
      `INSERT INTO \`${settings.database}\`.schema_version (version) VALUES (${index + 1})`,
    );
  }
  await requireTables(server);
  return { url, fromVersion, toVersion: MIGRATIONS.length };
}

async function requireServer(server: Server): Promise<void> {
  const version = await versionOf(server);
  if (version < MIGRATIONS.length) {
    throw new UserError(
      "store-unusable",
      `cannot open the store on ${server.url}: its tables have version ${version}, this program ` +
        `needs ${MIGRATIONS.length}; run \`tachograph migrate\` with the same servers`,
    );
  }
  await requireTables(server);
}

/** 0 where nothing was migrated. Throws `store-too-new`. */
async function versionOf(server: Server): Promise<number> {
  const version = await storedVersion(server);
  if (version <= MIGRATIONS.length) return version;
  throw new UserError(
    "store-too-new",
    `cannot open the store on ${server.url}: its tables have version ${version}, this program ` +
      `knows ${MIGRATIONS.length}`,
  );
}

const UNKNOWN_TABLE = 60;
const UNKNOWN_DATABASE = 81;

async function storedVersion(server: Server): Promise<number> {
  try {
    const blocks = await server.read("SELECT max(version) AS newest FROM schema_version");
    return numbersIn(blocks, "newest")[0] ?? 0;
  } catch (error) {
    const cause = error instanceof UserError ? error.cause : undefined;
    const code = cause instanceof ClickHouseError ? cause.code : undefined;
    if (code === UNKNOWN_TABLE || code === UNKNOWN_DATABASE) return 0;
    throw error;
  }
}

/** Whether the others can do without the server that said so. */
function isOfOneServer(failure: unknown): boolean {
  return (
    failure instanceof UserError &&
    (failure.code === "store-unreachable" || failure.code === "busy")
  );
}
