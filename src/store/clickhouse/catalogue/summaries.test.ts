import { afterEach, expect, test } from "vitest";
import {
  type ScriptedShard,
  startScriptedShard,
} from "../../../../test/support/scripted-replicas.ts";
import { NativeBlockWriter } from "../native/native-writer.ts";
import { openParts } from "../store.ts";
import { type BatchGroup, sourceNumber, sourcesOf } from "./sources.ts";
import { summariesOf } from "./summaries.ts";

const shards: ScriptedShard[] = [];

afterEach(async () => {
  await Promise.all(shards.splice(0).map((shard) => shard.close()));
});

const SHARD_KEY = { loadTestId: "run", incarnation: 0, shard: 0, testDay: 20_000 };

const SENDER: BatchGroup = {
  number: sourceNumber("sender", 0),
  about: { sourceId: "sender", generation: 0, isLive: true, format: undefined },
  batches: 2,
  lastSequence: 9,
  sequences: [4, 9],
  latest: undefined,
  mix: 1n,
  requests: 3,
  failedRequests: 0,
  fromSecond: 5,
  untilSecond: 6,
  storedAtMs: 1,
  hasConflicts: true,
  setAside: [],
  soleWriter: undefined,
};

const COUNTS = {
  a_endpoints: 3,
  a_rows: 9,
  a_failed_rows: 4,
  a_repeated_endpoints: 2,
  a_repeated: 6,
  a_failed_repeated: 3,
};

test("a summary counts only visible batches if the only source has conflicting ones", async () => {
  const scripted = await startScriptedShard(1);
  shards.push(scripted);
  const [replica] = scripted.replicas;
  const [node] = scripted.shard.nodes;
  if (replica === undefined || node === undefined) throw new Error("a replica was started");
  const counted = new NativeBlockWriter();
  counted.texts("load_test_id").append(["run"]);
  for (const [name, count] of Object.entries(COUNTS)) counted.unsigned64(name).append([count]);
  replica.answer = () => ({ body: Buffer.concat(counted.finish()) });
  const { cluster } = scripted;
  const limit = { max: 10, nearlyFull: () => undefined };
  const parts = openParts(cluster, { limit, nowMs: () => 0 });
  const manifest = { shardKey: SHARD_KEY, sources: sourcesOf([SENDER], []) };
  parts.writers.of(SHARD_KEY).manifests = async () => ({
    node,
    byId: new Map([["run", manifest]]),
  });
  const loadTest = {
    id: "run",
    name: "",
    createdAtMs: 1,
    tags: [],
    pinned: false,
    finishedAtMs: undefined,
  };
  const stored = {
    shardKey: SHARD_KEY,
    loadTest,
    attributesText: "",
    compaction: undefined,
    compacting: undefined,
    minutes: undefined,
  };
  expect(await summariesOf(parts, [stored])).toMatchObject([
    { endpoints: 3, requests: 3, failedRequests: 1 },
  ]);
  expect(replica.statements()).toEqual([expect.stringContaining("sequence IN (4,9)")]);
});
