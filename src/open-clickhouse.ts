import { readFileSync } from "node:fs";
import { errorMessage, UserError } from "./model/errors.ts";
import { Cluster } from "./store/clickhouse/cluster/cluster.ts";
import { migrate } from "./store/clickhouse/schema/schema.ts";
import {
  type ClusterSettings,
  parseClickHouseLocation,
} from "./store/clickhouse/cluster/settings.ts";
import { type ClickHouseStoreOptions, openClickHouseStore } from "./store/clickhouse/store.ts";
import type { MigratedServer, Store } from "./store/store.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Throws `bad-setting`, and errors of the store. */
export async function openClickHouse(
  values: readonly string[],
  environment: Environment,
  options: Pick<ClickHouseStoreOptions, "labelLimit" | "housekeeping">,
): Promise<Store> {
  return openClickHouseStore(settingsOf(values, environment), { now: Date.now, ...options });
}

/** Creates or upgrades the tables, server by server. Throws `bad-setting`, and errors of `migrate`. */
export async function migrateClickHouse(
  values: readonly string[],
  environment: Environment,
): Promise<readonly MigratedServer[]> {
  const cluster = new Cluster(settingsOf(values, environment));
  try {
    return await migrate(cluster);
  } finally {
    await cluster.close();
  }
}

function settingsOf(values: readonly string[], environment: Environment): ClusterSettings {
  return parseClickHouseLocation(values, environment, readText);
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    const reason = errorMessage(cause);
    throw new UserError("bad-setting", `cannot read ${file}: ${reason}`, { cause });
  }
}
