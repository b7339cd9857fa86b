import { readFileSync } from "node:fs";
import { afterAll, beforeAll } from "vitest";
import {
  type ClusterSettings,
  parseClickHouseLocation,
} from "../../../src/store/clickhouse/cluster/settings.ts";
import type { Lab, Layout } from "../lab/lab.ts";
import { labForTests } from "../lab/lab-for-tests.ts";
import { type ModernServer, startModernServer } from "../lab/modern-server.ts";

/**
 * One old server, a cluster of them, the current engine, or the servers of TACHOGRAPH_TEST_CLICKHOUSE.
 */
export type Kind = "single" | "cluster" | "modern" | "given";

const LAYOUTS = {
  single: { shards: 1, replicas: 1 },
  cluster: { shards: 2, replicas: 2 },
} as const satisfies Partial<Record<Kind, Layout>>;

/** Servers during the tests of a file. The database is not created. */
export function serversForTests(kind: Kind): () => ClusterSettings {
  if (kind === "given") return givenServers;
  if (kind === "modern") return modernServer();
  const lab = labForTests(LAYOUTS[kind]);
  return () => settingsOf(lab());
}

/** The arguments of `--clickhouse` for a lab, as a user would write them. */
export function settingsOf(lab: Lab): ClusterSettings {
  const words = lab.shards.map(
    (replicas, shard) => `${shard + 1}=${replicas.map(({ url }) => url).join(",")}`,
  );
  return parse(words);
}

function givenServers(): ClusterSettings {
  const words = process.env["TACHOGRAPH_TEST_CLICKHOUSE"];
  if (words === undefined) throw new Error("TACHOGRAPH_TEST_CLICKHOUSE names no servers");
  return parse(words.split(/\s+/).filter((word) => word !== ""));
}

function modernServer(): () => ClusterSettings {
  let server: ModernServer | undefined;
  beforeAll(async () => {
    server = await startModernServer();
  });
  afterAll(() => server?.stop());
  return () => parse([server?.url ?? ""]);
}

function parse(words: readonly string[]): ClusterSettings {
  return parseClickHouseLocation(words, process.env, (file) => readFileSync(file, "utf8"));
}
