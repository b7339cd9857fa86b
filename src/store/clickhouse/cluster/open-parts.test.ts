import { expect, test } from "vitest";
import { UserError } from "../../../model/errors.ts";
import { Cluster, shardAt } from "./cluster.ts";
import { openParts } from "../store.ts";

test("a load test on a shard that is not configured is an error that names the shard", () => {
  const shards = [["http://127.0.0.1:1"]];
  const cluster = new Cluster({ shards, database: "perf", isReplicated: false });
  const limit = { max: 10, nearlyFull: () => undefined };
  const { writers } = openParts(cluster, { limit, nowMs: () => 0 });
  const shardKey = { shard: 1 };
  for (const reach of [() => writers.of(shardKey), () => shardAt(cluster, shardKey)]) {
    expect(reach).toThrow(UserError);
    expect(reach).toThrow(
      expect.objectContaining({
        code: "store-unusable",
        message: "cannot reach a load test on shard 2: got 1 shards in --clickhouse",
      }),
    );
  }
});
