/** A migration counts what version 1 of the tables did not. */

import { expect, onTestFinished, test } from "vitest";
import { Cluster } from "../../../src/store/clickhouse/cluster/cluster.ts";
import { migrate, serversOf } from "../../../src/store/clickhouse/schema/schema.ts";
import { openClickHouseStore } from "../../../src/store/clickhouse/store.ts";
import { batchOf, published, sample } from "../../support/batches.ts";
import { loadTest } from "../../support/load-tests.ts";
import { makeDatabase } from "../stores/fresh-database.ts";
import { type Kind, serversForTests } from "../stores/servers-for-tests.ts";

/** Label rows of version 1: one per source, without counts. */
const AS_VERSION_1 = `INSERT INTO measurements (load_test_id, incarnation, kind, endpoint_hash,
  second, source, sequence, contents, test_day, role, text, stored_at_ms)
SELECT load_test_id, incarnation, kind, endpoint_hash, second, source, sequence, contents, test_day, role,
  text, stored_at_ms
FROM measurements WHERE kind = 'label'`;

export function countsWhatWasStored(kind: Kind): void {
  const servers = serversForTests(kind);
  test("requests of batches that version 1 stored are told from transactions", async () => {
    const database = await makeDatabase(servers());
    const cluster = new Cluster(database.settings);
    const store = await openClickHouseStore(database.settings, { now: Date.now });
    onTestFinished(async () => {
      await store.close();
      await cluster.close();
      await database.drop();
    });
    const roles = ["request", "transaction"] as const;
    const both = [sample("buy", 3), { ...sample("shop", 3), failed: true }];
    await store.loadTests.create(loadTest("run"));
    await store.points.append({ ...batchOf(both), roles });
    await store.points.append({ ...batchOf(both, { sequence: 1 }), roles });
    const staged = { sourceId: "file", visibility: "staged" } as const;
    await store.points.append({ ...batchOf(both, staged), roles });
    await store.points.publish(published("file"));
    const counted = async () => {
      const { requests, failedRequests } = (await store.loadTests.find("run")) ?? {};
      return [requests, failedRequests];
    };
    expect(await counted()).toEqual([3, 0]);
    const [server] = serversOf(cluster);
    await server?.run(
      AS_VERSION_1.replaceAll("measurements", `${database.settings.database}.measurements`),
    );
    expect(await counted()).toEqual([6, 3]);
    await server?.run(`DROP TABLE ${database.settings.database}.schema_version`);
    await server?.run(
      `CREATE TABLE ${database.settings.database}.schema_version (version UInt32, applied_at DateTime) ` +
        "ENGINE = MergeTree ORDER BY version",
    );
    await server?.run(
      `INSERT INTO ${database.settings.database}.schema_version (version) VALUES (1)`,
    );
    await migrate(cluster);
    expect(await counted()).toEqual([3, 0]);
  });
}
