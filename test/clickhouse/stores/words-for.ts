import type { ClusterSettings } from "../../../src/store/clickhouse/cluster/settings.ts";
import type { Launch } from "../../support/run-tachograph.ts";

/** The arguments of `--clickhouse` for these servers; see `credentialsFor`. */
export function wordsFor(settings: ClusterSettings): readonly string[] {
  const { shards, database, isReplicated, isCloud, quorum, zooKeeperPath } = settings;
  return [
    ...shards.map((urls, shard) => `${shard + 1}=${urls.join(",")}`),
    `database=${database}`,
    `replicated=${isReplicated}`,
    `cloud=${isCloud ?? false}`,
    ...(quorum === undefined ? [] : [`quorum=${quorum}`]),
    ...(zooKeeperPath === undefined ? [] : [`zookeeper-path=${zooKeeperPath}`]),
  ];
}

/** How a process gets the user and password of these servers. */
export function credentialsFor({ user = "", password = "" }: ClusterSettings): Launch {
  return {
    environment: {
      ...(user === "" ? {} : { TACHOGRAPH_CLICKHOUSE_USER: user }),
      ...(password === "" ? {} : { TACHOGRAPH_CLICKHOUSE_PASSWORD: password }),
    },
  };
}
