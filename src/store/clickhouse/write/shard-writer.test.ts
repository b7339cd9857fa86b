import { afterEach, expect, test } from "vitest";
import { batchOf, sample } from "../../../../test/support/batches.ts";
import { exception } from "../../../../test/support/scripted-clickhouse.ts";
import {
  type ScriptedShard,
  startScriptedShard,
} from "../../../../test/support/scripted-replicas.ts";
import { contentsOf } from "./contents.ts";
import type { StoredLoadTest } from "../catalogue/attributes.ts";
import { openParts } from "../store.ts";

const shards: ScriptedShard[] = [];

afterEach(async () => {
  await Promise.all(shards.splice(0).map((shard) => shard.close()));
});

function storedOf(id: string): StoredLoadTest {
  const about = { name: "", createdAtMs: 1, tags: [], pinned: false, finishedAtMs: undefined };
  return {
    shardKey: { loadTestId: id, incarnation: 0, shard: 0, testDay: 20_000 },
    loadTest: { id, ...about },
    attributesText: "",
    compaction: undefined,
    compacting: undefined,
    minutes: undefined,
  };
}

test("an unreadable load test does not fail batches of others in the same insert", async () => {
  const scripted = await startScriptedShard(1);
  shards.push(scripted);
  const [replica] = scripted.replicas;
  if (replica === undefined) throw new Error("a replica was started");
  replica.answer = () => {
    const sql = replica.statements().at(-1) ?? "";
    return sql.includes("'damaged'") ? exception(40) : { body: "" };
  };
  const limit = { max: 10, nearlyFull: () => undefined };
  const { writers } = openParts(scripted.cluster, { limit, nowMs: () => 0 });
  const writer = writers.of({ shard: 0 });
  const appended = ["whole", "damaged", "other"].map((loadTestId) => {
    const batch = { ...batchOf([sample("a", 5)]), loadTestId };
    return writer.append(storedOf(loadTestId), batch, contentsOf(batch));
  });
  const [whole, damaged, other] = await Promise.allSettled(appended);
  expect(whole).toEqual({ status: "fulfilled", value: { duplicate: false } });
  expect(damaged).toMatchObject({ status: "rejected", reason: { code: "damaged-store" } });
  expect(other).toEqual({ status: "fulfilled", value: { duplicate: false } });
  const inserts = replica.statements().filter((sql) => /^INSERT INTO \S*measurements/.test(sql));
  expect(inserts).toHaveLength(2);
});
