import { expect, onTestFinished, test } from "vitest";
import { Cluster } from "../../../src/store/clickhouse/cluster/cluster.ts";
import {
  createTable,
  SCHEMA_VERSION,
  type Table,
  TABLES,
} from "../../../src/store/clickhouse/schema/ddl.ts";
import { type Server, migrate, serversOf } from "../../../src/store/clickhouse/schema/schema.ts";
import type { Replicas } from "../../../src/store/clickhouse/cluster/replicas.ts";
import { openClickHouseStore } from "../../../src/store/clickhouse/store.ts";
import { answersOf } from "../../support/answers-of-store.ts";
import { batchOf, collect, published, sample } from "../../support/batches.ts";
import { loadTest } from "../../support/load-tests.ts";
import { makeDatabase } from "../stores/fresh-database.ts";
import { type Kind, serversForTests } from "../stores/servers-for-tests.ts";

const TABLES_OF_VERSION_1 = TABLES.filter(
  ({ name }) => !["claims", "thresholds", "audit"].includes(name),
);

type Alone = Replicas["alone"][number];

/** Tables of version 1 keep their content and accept more. */
export function migratesTables(kind: Kind): void {
  const servers = serversForTests(kind);

  test("a store of version 1 answers the same after `migrate`, and knows what is sent again", async () => {
    const [database, earlier] = [await makeDatabase(servers()), await makeDatabase(servers())];
    const store = await openClickHouseStore(database.settings, { now: Date.now });
    onTestFinished(async () => {
      await store.close();
      await database.drop();
      await earlier.drop();
    });
    await store.loadTests.create(loadTest());
    const batches = [5, 6].map((second, sequence) =>
      batchOf([sample("a", second), sample(`b ${second}`, second)], { sequence }),
    );
    for (const batch of batches) await store.points.append(batch);
    await store.points.append(
      batchOf([sample("file", 8)], { sourceId: "file", visibility: "staged" }),
    );
    await store.points.publish(published("file"));
    const expected = await answersOf(store);

    const cluster = new Cluster(earlier.settings);
    onTestFinished(() => cluster.close());
    const all = serversOf(cluster);
    for (const server of all) await server.run(`DROP DATABASE ${server.settings.database}`);
    for (const server of all) await makeVersion1(server);
    const [from, to] = [database.settings.database, earlier.settings.database];
    const copy = ({ alone }: Replicas, extent: Table["extent"]) =>
      Promise.all(
        TABLES_OF_VERSION_1.filter((table) => table.extent === extent).map((table) =>
          (alone[0] as Alone).replicas.command(copyOf(table, from, to), { preference: 0 }),
        ),
      );
    await copy(cluster.everywhere, "everywhere");
    for (const shard of cluster.shards) await copy(shard, "shard");
    const done = await migrate(cluster);
    expect(
      new Set(done.map(({ fromVersion, toVersion }) => [fromVersion, toVersion].join())),
    ).toEqual(new Set(["1,7"]));

    const migrated = await openClickHouseStore(earlier.settings, { now: Date.now });
    onTestFinished(() => migrated.close());
    expect(await answersOf(migrated)).toEqual(expected);
    for (const batch of batches) {
      expect(await migrated.points.append(batch)).toEqual({ duplicate: true });
    }
    await expect(
      migrated.points.append(batchOf([sample("other", 5)], { sequence: 1 })),
    ).rejects.toMatchObject({ code: "sequence-reused" });
    await migrated.points.append(batchOf([sample("c", 7)], { sequence: 2 }));
    await store.points.append(batchOf([sample("c", 7)], { sequence: 2 }));
    expect(await answersOf(migrated)).toEqual(await answersOf(store));
    expect(await migrated.compactNow("run")).toBe("compacted");
    expect(await answersOf(migrated)).toEqual(await answersOf(store));
    expect(await collect(migrated.verify())).toEqual([]);
  });
}

/** Creates a database with the tables of version 1. */
async function makeVersion1(server: Server): Promise<void> {
  const { database } = server.settings;
  await server.run(`CREATE DATABASE ${database}`);
  const shardKey = await server.ddlPlace();
  for (const table of [SCHEMA_VERSION, ...TABLES_OF_VERSION_1]) {
    await server.run(createTable(inVersion1(table), shardKey));
  }
  await server.run(`INSERT INTO ${database}.schema_version (version) VALUES (1)`);
}

function inVersion1(table: Table): Table {
  return {
    ...table,
    columns: table.columns.filter(({ since }) => since === undefined),
    order: table.order.replace(", sequence, contents)", ", sequence)"),
  };
}

/** Rows as version 1 writes them, whatever columns the table has now. */
function copyOf({ name, columns }: Table, from: string, to: string): string {
  const own = columns.flatMap((column) => (column.since === undefined ? [column.name] : []));
  return `INSERT INTO ${to}.${name} (${own.join(", ")}) SELECT ${own.join(", ")} FROM ${from}.${name}`;
}
