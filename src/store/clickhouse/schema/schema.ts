import { UserError } from "../../../model/errors.ts";
import { ClickHouseError } from "../cluster/clickhouse-error.ts";
import type { Cluster } from "../cluster/cluster.ts";
import {
  type DdlTarget,
  SCHEMA_VERSION,
  TABLES,
  type Table,
  addColumns,
  createTable,
  replicationPath,
} from "./ddl.ts";
import type { NativeBlock } from "../native/native-block.ts";
import { asNumber, rowsIn, asText } from "../native/rows-in.ts";
import { hasCodecs } from "../cluster/node.ts";
import type { ClusterSettings } from "../cluster/settings.ts";
import { renewViews } from "./views.ts";
import type { MigratedServer } from "../../store.ts";

const ZOOKEEPER_PATH = "/tachograph";

/** Migrates a server from one version to the next. Repeatable. */
type Migration = (server: Server, target: DdlTarget) => Promise<void>;

/** Step i creates version i + 1. The first one creates tables with the columns of all versions. */
const MIGRATIONS: readonly Migration[] = [
  createTables,
  makeVersion2,
  createTables,
  addMissingColumns,
  // Keys may have a project: earlier programs, which would show them everything, must not open the store.
  async () => undefined,
  createTables,
  // Points may be merged into minutes: earlier programs and views would miss them.
  makeViews,
];

/**
 * Migrates each server to this program's version, one after the other. Safe to repeat and to run
 * concurrently. Throws `store-too-new`, `store-unusable` if other tables have the same names, and
 * `store-unreachable` at the first unreachable server; those before it are done.
 */
export async function migrate(cluster: Cluster): Promise<readonly MigratedServer[]> {
  const migrated: MigratedServer[] = [];
  for (const server of serversOf(cluster)) migrated.push(await migrateServer(server));
  return migrated;
}

/**
 * Checks that all reachable servers have the tables of this version, created with these settings. Throws
 * `store-unusable`, `store-too-new`, and `store-unreachable` if no server can be reached.
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
  const target = await server.ddlPlace();
  await server.run(createTable(SCHEMA_VERSION, target));
  const fromVersion = await versionOf(server);
  for (const [index, migration] of MIGRATIONS.entries()) {
    if (index < fromVersion) continue;
    await migration(server, target);
    // Concurrent runs write the same number twice, which changes nothing.
    await server.run(
      `INSERT INTO \`${settings.database}\`.schema_version (version) VALUES (${index + 1})`,
    );
  }
  await requireTables(server);
  return { url, fromVersion, toVersion: MIGRATIONS.length };
}

async function createTables(server: Server, target: DdlTarget): Promise<void> {
  for (const table of TABLES) await server.run(createTable(table, target));
}

/** Adds claims, conflicting contents and counts of labels. */
async function makeVersion2(server: Server, target: DdlTarget): Promise<void> {
  await createTables(server, target);
  await addMissingColumns(server, target);
  await server.run(countStoredLabels(target));
}

async function makeViews(server: Server, target: DdlTarget): Promise<void> {
  for (const statement of renewViews(target)) await server.run(statement);
}

/** Adds the columns of all later versions. */
async function addMissingColumns(server: Server, target: DdlTarget): Promise<void> {
  for (const table of TABLES) {
    const statement = async () => {
      const present = await columnTypes(server);
      return addColumns(table, target, (name) => present.has(`${table.name}.${name}`));
    };
    const missing = await statement();
    if (missing === undefined) continue;
    try {
      await server.run(missing);
    } catch (error) {
      // Another replica may have added them meanwhile, or an earlier attempt whose response was lost.
      if ((await statement()) !== undefined) throw error;
    }
  }
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

/** 0 without tables. Throws `store-too-new`. */
async function versionOf(server: Server): Promise<number> {
  const version = await storedVersion(server);
  if (version <= MIGRATIONS.length) return version;
  throw new UserError(
    "store-too-new",
    `cannot open the store on ${server.url}: its tables have version ${version}, this program ` +
      `supports ${MIGRATIONS.length}`,
  );
}

const UNKNOWN_TABLE = 60;
const UNKNOWN_DATABASE = 81;

async function storedVersion(server: Server): Promise<number> {
  try {
    const blocks = await server.read("SELECT max(version) AS newest FROM schema_version");
    return rowsIn(blocks, { newest: asNumber("newest") })[0]?.newest ?? 0;
  } catch (error) {
    const cause = error instanceof UserError ? error.cause : undefined;
    const code = cause instanceof ClickHouseError ? cause.code : undefined;
    if (code === UNKNOWN_TABLE || code === UNKNOWN_DATABASE) return 0;
    throw error;
  }
}

/** Whether the other servers can work without the one that failed. */
function isOfOneServer(failure: unknown): boolean {
  return (
    failure instanceof UserError &&
    (failure.code === "store-unreachable" || failure.code === "busy")
  );
}

/** Rewrites, repeatably, labels that may not be requests with their counts in each batch, as version 2 writes them. */
function countStoredLabels({ database }: DdlTarget): string {
  const measurements = `\`${database}\`.measurements`;
  const labels = `SELECT load_test_id, incarnation, endpoint_hash, source
    FROM ${measurements} WHERE kind = 'label'
    GROUP BY load_test_id, incarnation, endpoint_hash, source HAVING max(role) < 3`;
  return `INSERT INTO ${measurements} (load_test_id, incarnation, kind, endpoint_hash, second,
  source, sequence, contents, test_day, requests, failed_requests, role, text, stored_at_ms)
SELECT load_test_id, incarnation, 'label', endpoint_hash, toUInt32(0), source, sequence, contents, a_test_day,
  a_requests, a_failed, a_role, a_text, a_stored_at_ms
FROM (
  SELECT load_test_id, incarnation, endpoint_hash, source, sequence, contents, any(test_day) AS a_test_day,
    sum(requests) AS a_requests, sum(failed_requests) AS a_failed, max(stored_at_ms) AS a_stored_at_ms
  FROM ${measurements} FINAL
  WHERE kind = 'point' AND (load_test_id, incarnation, endpoint_hash, source) IN (${labels})
  GROUP BY load_test_id, incarnation, endpoint_hash, source, sequence, contents
) AS counted
ANY LEFT JOIN (
  SELECT load_test_id, incarnation, endpoint_hash, source, max(role) AS a_role, any(text) AS a_text
  FROM ${measurements} WHERE kind = 'label'
  GROUP BY load_test_id, incarnation, endpoint_hash, source
) AS labelled USING (load_test_id, incarnation, endpoint_hash, source)`;
}

/** Checks that the server's tables are ours and match its settings (replicated, shard). Throws `store-unusable`. */
async function requireTables(server: Server): Promise<void> {
  const engines = await tableTexts(server, "tables", "name", "engine");
  const types = await columnTypes(server);
  const target = await server.ddlPlace();
  const paths =
    target.replication === undefined
      ? new Map<string, string>()
      : await tableTexts(server, "replicas", "table", "zookeeper_path");
  for (const table of TABLES) {
    requireEngine(server, table, engines.get(table.name));
    for (const { name, type } of table.columns) {
      const got = types.get(`${table.name}.${name}`);
      if (got !== type) throw mistaken(server, `${table.name}.${name}`, type, got);
    }
    const path = replicationPath(table, target);
    const got = paths.get(table.name);
    if (path === got) continue;
    // Servers that were moved between shards would respond for other load tests.
    throw mistaken(server, `the place of ${table.name} in ZooKeeper`, path ?? "none", got);
  }
}

function columnTypes(server: Server): Promise<ReadonlyMap<string, string>> {
  return tableTexts(server, "columns", "concat(table, '.', name)", "type");
}

/** The cloud has its own engine name and replication. */
function requireEngine(server: Server, { name, replacing }: Table, got: string | undefined): void {
  const isReplicated = server.settings.isReplicated ? "Replicated" : "";
  const engine = `${replacing ? "Replacing" : ""}MergeTree`;
  const want = [`${isReplicated}${engine}`, ...(isReplicated === "" ? [`Shared${engine}`] : [])];
  if (got === undefined || !want.includes(got))
    throw mistaken(server, name, want.join(" or "), got);
}

async function tableTexts(
  server: Server,
  systemTable: string,
  name: string,
  value: string,
): Promise<ReadonlyMap<string, string>> {
  const blocks = await server.read(
    `SELECT ${name} AS a_name, ${value} AS a_value FROM system.${systemTable} ` +
      `WHERE database = '${server.settings.database}'`,
  );
  const rows = rowsIn(blocks, { name: asText("a_name"), value: asText("a_value") });
  return new Map(rows.map((row) => [row.name, row.value]));
}

function mistaken(
  { url, settings }: Server,
  what: string,
  want: string,
  got: string | undefined,
): UserError {
  return new UserError(
    "store-unusable",
    `cannot use database ${settings.database} on ${url}: ${what}: expected ${want}, got ` +
      `${got ?? "nothing"}; are servers, shards and database those that it was made with?`,
  );
}

/** One server alone, with its role in the cluster. Failures are retried on this one. */
export interface Server {
  readonly url: string;
  readonly settings: ClusterSettings;
  /** Runs a repeatable statement that does not need the database to exist. */
  run(sql: string): Promise<void>;
  read(sql: string): Promise<readonly NativeBlock[]>;
  ddlPlace(): Promise<DdlTarget>;
}

export function serversOf({ shards, settings }: Cluster): readonly Server[] {
  return shards.flatMap((shard, index) =>
    shard.alone.map(({ node, replicas }): Server => {
      const replication = {
        zooKeeperPath: settings.zooKeeperPath ?? ZOOKEEPER_PATH,
        shardNumber: index + 1,
        replica: node.replica,
      };
      return {
        url: node.url,
        settings,
        run: (sql) => replicas.command(sql, { preference: 0, isOutside: true }),
        read: (sql) => replicas.read(sql, { preference: 0 }),
        ddlPlace: async () => ({
          database: settings.database,
          replication: settings.isReplicated ? replication : undefined,
          hasCodecs: hasCodecs(await node.features()),
        }),
      };
    }),
  );
}
