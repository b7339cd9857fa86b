import { afterEach, expect, test } from "vitest";
import {
  type ScriptedShard,
  startScriptedShard,
} from "../../../../test/support/scripted-replicas.ts";
import { UserError } from "../../../model/errors.ts";
import { attributesOf, fieldsOfNew, type ShardKey, standingOf } from "../catalogue/attributes.ts";
import { openParts } from "../store.ts";
import { QuietCompactor } from "./quiet-compactor.ts";
import { Compactor } from "./compactor.ts";
import { type BatchGroup, sourceNumber, sourcesOf } from "../catalogue/sources.ts";

const HOUR_MS = 60 * 60_000;

const shards: ScriptedShard[] = [];

afterEach(async () => {
  await Promise.all(shards.splice(0).map((shard) => shard.close()));
});

/** Idle for long and large enough for compaction. */
const SENDER: BatchGroup = {
  number: sourceNumber("sender", 0),
  about: { sourceId: "sender", generation: 0, isLive: true, format: undefined },
  batches: 2,
  lastSequence: 1,
  sequences: undefined,
  latest: undefined,
  mix: 1n,
  requests: 1_000_000,
  failedRequests: 0,
  fromSecond: 5,
  untilSecond: 6,
  storedAtMs: 1,
  hasConflicts: false,
  setAside: [],
  soleWriter: undefined,
};

function placeOf(loadTestId: string): ShardKey {
  return { loadTestId, incarnation: 0, shard: 0, testDay: 1 };
}

test("an unreadable load test does not block the compaction of others", async () => {
  const scripted = await startScriptedShard(1);
  shards.push(scripted);
  const [node] = scripted.shard.nodes;
  if (node === undefined) throw new Error("a replica was started");
  let nowMs = 24 * HOUR_MS;
  const limit = { max: 10, nearlyFull: () => undefined };
  const parts = openParts(scripted.cluster, { limit, nowMs: () => nowMs });
  parts.attributes.standing = async (id) => {
    const fields = fieldsOfNew(
      { id, name: "", createdAtMs: 1, tags: [], pinned: false },
      placeOf(id),
    );
    return standingOf(attributesOf(placeOf(id), fields, 1));
  };
  parts.writers.of(placeOf("a")).manifests = async (shardKeys) => {
    const ids = shardKeys.map(({ loadTestId }) => loadTestId);
    if (ids.includes("behind")) throw new UserError("store-behind", "it is behind");
    const manifests = shardKeys.map((shardKey) => ({ shardKey, sources: sourcesOf([SENDER], []) }));
    return {
      node,
      byId: new Map(manifests.map((manifest) => [manifest.shardKey.loadTestId, manifest])),
    };
  };
  const compacted: string[] = [];
  const compactor = new Compactor(parts);
  compactor.compact = async (loadTestId) => {
    compacted.push(loadTestId);
    return "compacted";
  };
  const failures: unknown[] = [];
  const log = {
    done: () => undefined,
    failed: (event: string, error: unknown) => void failures.push([event, error]),
  };
  const quiet = new QuietCompactor(parts, compactor, log);
  for (const id of ["a", "b", "behind", "c", "d"]) parts.touched.add(id);
  const { signal } = new AbortController();
  await quiet.look(signal);
  expect(compacted).toEqual(["a", "b", "c", "d"]);
  expect(failures).toEqual([["sealing_failed", expect.objectContaining({ code: "store-behind" })]]);
  await quiet.look(signal);
  expect(failures).toHaveLength(1);
  nowMs += HOUR_MS;
  await quiet.look(signal);
  expect(failures).toHaveLength(2);
  expect(compacted).toHaveLength(4);
});
