import { afterEach, expect, test } from "vitest";
import {
  exception,
  type ScriptedAnswer,
  type ScriptedRequest,
  type ScriptedServer,
  startScriptedServer,
} from "../../../../test/support/scripted-clickhouse.ts";
import { Cluster } from "../cluster/cluster.ts";
import { type DdlTarget, replicationPath, TABLES } from "./ddl.ts";
import { NativeBlockWriter } from "../native/native-writer.ts";
import { migrate, requireSchema } from "./schema.ts";
import { SYSTEM_CLOCK } from "../cluster/until-done.ts";
import { VIEWS } from "./views.ts";

const opened: { close(): Promise<void> }[] = [];

afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()));
});

/** A server that stores its schema version and otherwise has the expected tables. */
interface SchemaServer extends Pick<ScriptedServer, "url" | "requests" | "close"> {
  version: number | undefined;
  /** Returns an unexpected response, or `undefined` for the expected one. */
  odd: (sql: string) => ScriptedAnswer | undefined;
}

const PLACE: DdlTarget = { database: "perf", replication: undefined, hasCodecs: true };

function texts(rows: readonly (readonly [string, string])[]): ScriptedAnswer {
  const block = new NativeBlockWriter();
  block.texts("a_name").append(rows.map(([name]) => name));
  block.texts("a_value").append(rows.map(([, value]) => value));
  return { body: Buffer.concat(block.finish()) };
}

function versionOf({ version }: SchemaServer): ScriptedAnswer {
  if (version === undefined) return exception(60, 404);
  const block = new NativeBlockWriter();
  block.unsigned32("newest").append(Uint32Array.of(version));
  return { body: Buffer.concat(block.finish()) };
}

function systemTable(sql: string, target: DdlTarget): ScriptedAnswer | undefined {
  const isReplicated = target.replication === undefined ? "" : "Replicated";
  if (sql.includes("absolute_delay")) return { body: "0\t0\n" };
  if (sql.includes("system.tables")) {
    return texts(
      TABLES.map(({ name, replacing }) => [
        name,
        `${isReplicated}${replacing ? "Replacing" : ""}MergeTree`,
      ]),
    );
  }
  if (sql.includes("system.columns")) {
    return texts(
      TABLES.flatMap(({ name, columns }) =>
        columns.map((column): [string, string] => [`${name}.${column.name}`, column.type]),
      ),
    );
  }
  if (!sql.includes("system.replicas")) return undefined;
  return texts(TABLES.map((table) => [table.name, replicationPath(table, target) ?? ""]));
}

async function startServer(version: number | undefined, target = PLACE): Promise<SchemaServer> {
  const server = await startScriptedServer(answer);
  const { url, requests } = server;
  const close = (): Promise<void> => server.close();
  const whole: SchemaServer = { url, requests, close, version, odd: () => undefined };
  opened.push(whole);
  function answer({ sql }: ScriptedRequest): ScriptedAnswer {
    const given = whole.odd(sql) ?? systemTable(sql, target);
    if (given !== undefined) return given;
    if (sql.includes("max(version)")) return versionOf(whole);
    if (sql.startsWith("CREATE TABLE IF NOT EXISTS `perf`.schema_version")) whole.version ??= 0;
    const written = /^INSERT INTO `perf`\.schema_version \(version\) VALUES \((\d+)\)$/.exec(sql);
    if (written !== null) whole.version = Number(written[1]);
    return {};
  }
  return whole;
}

function clusterOf(shards: readonly (readonly string[])[]): Cluster {
  const isReplicated = shards.flat().length > 1;
  let nowMs = 0;
  const cluster = new Cluster(
    { shards, database: "perf", isReplicated },
    {
      ...SYSTEM_CLOCK,
      clockMs: () => nowMs,
      async wait(ms) {
        nowMs += ms;
      },
    },
  );
  opened.push(cluster);
  return cluster;
}

function created({ requests }: SchemaServer): readonly string[] {
  return requests.flatMap(({ sql }) => /^CREATE \w+ IF NOT EXISTS (\S+)/.exec(sql)?.[1] ?? []);
}

test("an empty server gets the database and all tables, then the schema version", async () => {
  const server = await startServer(undefined);
  const cluster = clusterOf([[server.url]]);
  expect(await migrate(cluster)).toEqual([{ url: server.url, fromVersion: 0, toVersion: 7 }]);
  expect(created(server)).toEqual([
    "`perf`",
    "`perf`.schema_version",
    ...[...TABLES, ...TABLES, ...TABLES, ...TABLES, ...VIEWS].map(({ name }) => `\`perf\`.${name}`),
  ]);
  await requireSchema(cluster);
  expect(await migrate(cluster)).toEqual([{ url: server.url, fromVersion: 7, toVersion: 7 }]);
  // Existing tables are left alone, except the two from which the version is read.
  expect(created(server).length).toBe(2 + 4 * TABLES.length + VIEWS.length + 2);
});

test("tables of version 1 get their missing columns in one statement", async () => {
  const server = await startServer(1);
  let isAltered = false;
  server.odd = (sql) => {
    if (sql.startsWith("ALTER")) isAltered = true;
    if (!sql.includes("system.columns") || isAltered) return undefined;
    const first = TABLES.flatMap((table) =>
      table.columns.flatMap(({ name, type, since }): [string, string][] =>
        since === undefined ? [[`${table.name}.${name}`, type]] : [],
      ),
    );
    return texts(first);
  };
  expect(await migrate(clusterOf([[server.url]]))).toMatchObject([{ fromVersion: 1 }]);
  const altered = server.requests.map(({ sql }) => sql).filter((sql) => sql.startsWith("ALTER"));
  expect(altered).toHaveLength(1);
  expect(altered[0]).toMatch(/^ALTER TABLE `perf`\.measurements .*ADD COLUMN `contents` UInt32 /);
  expect(altered[0]).toMatch(
    /MODIFY ORDER BY \(load_test_id, incarnation, kind, endpoint_hash, second, source, sequence, contents\)$/,
  );
});

test("an interrupted migration is completed by the next one", async () => {
  const server = await startServer(undefined);
  const cluster = clusterOf([[server.url]]);
  server.odd = (sql) => (sql.includes("sealed_points (") ? exception(62, 400) : undefined);
  await expect(migrate(cluster)).rejects.toMatchObject({ code: 62 });
  expect(server.version).toBe(0);
  server.odd = () => undefined;
  await migrate(cluster);
  expect(server.version).toBe(7);
});

test("each replica has its own name, and each shard its own paths", async () => {
  const replication = { zooKeeperPath: "/tachograph", shardNumber: 1, replica: "" };
  const first = await startServer(undefined, { ...PLACE, replication });
  const second = await startServer(undefined, {
    ...PLACE,
    replication: { ...replication, shardNumber: 2 },
  });
  await migrate(clusterOf([[first.url], [second.url]]));
  const engines = [first, second].flatMap(({ requests, url }) =>
    requests.flatMap(({ sql }) => {
      const replica = url.slice("http://".length).replace(":", "_");
      return /MergeTree\('(.*?)'/.exec(sql.replace(replica, "REPLICA"))?.[1] ?? [];
    }),
  );
  expect([...new Set(engines)]).toEqual([
    "/tachograph/perf/1/measurements",
    "/tachograph/perf/all/load_tests",
    "/tachograph/perf/all/keys",
    "/tachograph/perf/all/thresholds",
    "/tachograph/perf/1/sealed_points",
    "/tachograph/perf/all/claims",
    "/tachograph/perf/all/audit",
    "/tachograph/perf/2/measurements",
    "/tachograph/perf/2/sealed_points",
  ]);
});

test.each([
  [undefined, "store-unusable", "tachograph migrate"],
  [1, "store-unusable", "have version 1, this program needs 7; run `tachograph migrate`"],
  [8, "store-too-new", "have version 8, this program supports 7"],
])("tables of version %s are refused", async (version, code, message) => {
  const server = await startServer(version);
  const refusal = { code, message: expect.stringContaining(message) };
  await expect(requireSchema(clusterOf([[server.url]]))).rejects.toMatchObject(refusal);
});

test("a newer version is not migrated", async () => {
  const server = await startServer(8);
  const refusal = { code: "store-too-new" };
  await expect(migrate(clusterOf([[server.url]]))).rejects.toMatchObject(refusal);
});

test.each<[string, string, ScriptedAnswer, string]>([
  [
    "a replicated table",
    "system.tables",
    texts([["measurements", "ReplicatedMergeTree"]]),
    "measurements: expected ReplacingMergeTree or SharedReplacingMergeTree, got ReplicatedMergeTree",
  ],
  [
    "a table of somebody else",
    "system.columns",
    texts([["measurements.load_test_id", "UInt8"]]),
    "measurements.load_test_id: expected String, got UInt8",
  ],
  ["no table", "system.tables", texts([]), "got nothing"],
])("%s is refused", async (_, asked, answer, message) => {
  const server = await startServer(7);
  server.odd = (sql) => (sql.includes(asked) ? answer : undefined);
  const refusal = { code: "store-unusable", message: expect.stringContaining(message) };
  await expect(requireSchema(clusterOf([[server.url]]))).rejects.toMatchObject(refusal);
});

test("shards that changed their places are refused", async () => {
  const replication = { zooKeeperPath: "/tachograph", shardNumber: 1, replica: "" };
  const [first, second] = await Promise.all(
    [1, 2].map((shardNumber) =>
      startServer(7, { ...PLACE, replication: { ...replication, shardNumber } }),
    ),
  );
  const urls = [first, second].map((server) => [server?.url ?? ""]);
  await requireSchema(clusterOf(urls));
  await expect(requireSchema(clusterOf(urls.toReversed()))).rejects.toMatchObject({
    code: "store-unusable",
    message: expect.stringContaining("the place of measurements in ZooKeeper"),
  });
});

test("an unreachable server does not block the others", async () => {
  const replication = { zooKeeperPath: "/tachograph", shardNumber: 1, replica: "" };
  const up = await startServer(7, { ...PLACE, replication });
  const down = await startServer(7);
  await down.close();
  await requireSchema(clusterOf([[up.url, down.url]]));
  await up.close();
  await expect(requireSchema(clusterOf([[up.url, down.url]]))).rejects.toMatchObject({
    code: "store-unreachable",
  });
});
