import { afterEach, expect, test } from "vitest";
import type { ScriptedAnswer } from "../../../../test/support/scripted-clickhouse.ts";
import {
  type ScriptedShard,
  startScriptedShard,
} from "../../../../test/support/scripted-replicas.ts";
import { readManifests } from "./source-manifest.ts";
import { NativeBlockWriter } from "../native/native-writer.ts";
import { sourceNumber } from "../catalogue/sources.ts";

const shards: ScriptedShard[] = [];

afterEach(async () => {
  await Promise.all(shards.splice(0).map((shard) => shard.close()));
});

const SHARD_KEY = { loadTestId: "run", incarnation: 0, shard: 0, testDay: 20_000 };
const NUMBER = sourceNumber("sender", 0);
const NOTE = { sourceId: "sender", generation: 0, isLive: true };

/** Returns the manifest of a load test with one sender, with some of its batches. */
function headWith({ batches, last, mix }: { batches: number; last: number; mix: number }) {
  const block = new NativeBlockWriter();
  block.texts("load_test_id").append(["run"]);
  block.texts("a_text").append([JSON.stringify(NOTE)]);
  block.texts("a_unrecorded").append([""]);
  block.enum8("kind", "Enum8('source' = 0, 'batch' = 1)").append(Int8Array.of(1));
  block.unsigned64("source").repeat(NUMBER, 1);
  const numbers = {
    a_event: 0,
    a_batches: batches,
    a_last: last,
    a_is_mixed: 0,
    a_linked: 0,
    a_links: 0,
    a_mix: mix,
    a_requests: batches,
    a_failed_requests: 0,
    a_from: 5,
    a_until: 6,
    a_stored_at_ms: 1,
    a_sequences: batches,
    a_writer: 3,
    a_last_writer: 3,
  };
  for (const [name, value] of Object.entries(numbers)) block.unsigned64(name).append([value]);
  block.arrays64("a_latest").appendEmpty(1);
  return { body: Buffer.concat(block.finish()) } satisfies ScriptedAnswer;
}

test("a replica with more batches is not read until it also has the last one", async () => {
  const scripted = await startScriptedShard(2);
  shards.push(scripted);
  const [first, second] = scripted.replicas;
  const all = headWith({ batches: 4, last: 3, mix: 7 });
  if (first === undefined || second === undefined) throw new Error("two replicas were started");
  first.answer = () =>
    scripted.waitedMs.length < 3 ? headWith({ batches: 3, last: 2, mix: 5 }) : all;
  second.answer = () => headWith({ batches: 2, last: 3, mix: 6 });
  const { node, byId } = await readManifests(scripted.shard, [SHARD_KEY], 1_000_000);
  expect(scripted.waitedMs).toHaveLength(3);
  expect(node.url).toBe(scripted.shard.nodes.find(({ url }) => url === first.server.url)?.url);
  expect(byId.get("run")?.sources[0]?.batches).toMatchObject({ batches: 4, lastSequence: 3 });
});
