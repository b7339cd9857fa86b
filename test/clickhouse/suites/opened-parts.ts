import { onTestFinished } from "vitest";
import { Cluster } from "../../../src/store/clickhouse/cluster/cluster.ts";
import type { ClickHouseParts } from "../../../src/store/clickhouse/parts.ts";
import { openParts } from "../../../src/store/clickhouse/store.ts";
import { openPoints } from "../../../src/store/clickhouse/points.ts";
import { openLoadTests } from "../../../src/store/clickhouse/catalogue/load-tests.ts";
import { SYSTEM_CLOCK } from "../../../src/store/clickhouse/cluster/until-done.ts";
import type { ClusterSettings } from "../../../src/store/clickhouse/cluster/settings.ts";
import { DEFAULT_LABEL_LIMIT } from "../../../src/store/label-limit.ts";
import type { LoadTests, Points } from "../../../src/store/store.ts";
import { makeDatabase } from "../stores/fresh-database.ts";

/** The parts of a store, with their own clocks. */
export interface PartsForTest {
  readonly parts: ClickHouseParts;
  readonly store: { readonly points: Points; readonly loadTests: LoadTests };
  /** Advances both clocks. */
  pass(ms: number): void;
}

/** Opens them on a database of their own, which is removed after the test. */
export async function partsForTest(servers: ClusterSettings): Promise<PartsForTest> {
  const database = await makeDatabase(servers);
  let passedMs = 0;
  const clockMs = (): number => performance.now() + passedMs;
  const cluster = new Cluster(database.settings, { ...SYSTEM_CLOCK, clockMs });
  const parts = openParts(cluster, {
    limit: DEFAULT_LABEL_LIMIT,
    nowMs: () => Date.now() + passedMs,
  });
  onTestFinished(async () => {
    await parts.writers.settle();
    await cluster.close();
    await database.drop();
  });
  return {
    parts,
    store: { points: openPoints(parts), loadTests: openLoadTests(parts) },
    pass(ms) {
      passedMs += ms;
    },
  };
}
