import { UserError } from "../../model/errors.ts";
import { replicationPath, type Table, TABLES } from "./ddl.ts";
import { type Server, textsIn } from "./each-server.ts";

/**
 * Makes sure that the tables of the server are ours, and made with the settings that it is used with
 * now: replicated or not, and in this shard. Throws `store-unusable`.
 */
export async function requireTables(server: Server): Promise<void> {
  const engines = await tableTexts(server, "tables", "name", "engine");
  const types = await tableTexts(server, "columns", "concat(table, '.', name)", "type");
  const place = await server.ddlPlace();
  const paths =
    place.replication === undefined
      ? new Map<string, string>()
      : await tableTexts(server, "replicas", "table", "zookeeper_path");
  for (const table of TABLES) {
    requireEngine(server, table, engines.get(table.name));
    for (const { name, type } of table.columns) {
      const got = types.get(`${table.name}.${name}`);
      if (got !== type) throw mistaken(server, `${table.name}.${name}`, type, got);
    }
    const path = replicationPath(table, place);
    const got = paths.get(table.name);
    if (path === got) continue;
    // Servers that changed their places among the shards would answer for load tests of others.
    throw mistaken(server, `the place of ${table.name} in ZooKeeper`, path ?? "none", got);
  }
}

/** Of the cloud, the engine has a name of its own, and replicates as it likes. */
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
  const values = textsIn(blocks, "a_value");
  return new Map(textsIn(blocks, "a_name").map((each, index) => [each, values[index] ?? ""]));
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
