import { setImmediate } from "node:timers/promises";
import { afterEach, expect, test, vi } from "vitest";
import { exception, type ScriptedAnswer } from "../../../../test/support/scripted-clickhouse.ts";
import {
  answerOf,
  type ScriptedReplica,
  type ScriptedShard,
  startScriptedShard,
} from "../../../../test/support/scripted-replicas.ts";
import type { NativeBlock } from "../native/native-block.ts";
import type { Node } from "./node.ts";
import type { ClusterSettings } from "./settings.ts";

const shards: ScriptedShard[] = [];

afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(shards.splice(0).map((shard) => shard.close()));
});

async function start(
  count = 2,
  settings: Partial<ClusterSettings> = {},
): Promise<ScriptedShard & { first: ScriptedReplica; second: ScriptedReplica }> {
  const shard = await startScriptedShard(count, settings);
  shards.push(shard);
  const [first, second = first] = shard.replicas as readonly [ScriptedReplica, ScriptedReplica?];
  return { ...shard, first, second };
}

function numbersOf(blocks: readonly NativeBlock[]): readonly number[] {
  return blocks.flatMap((block) => [...block.numbers("n")]);
}

async function allOf(blocks: AsyncIterable<NativeBlock>): Promise<readonly NativeBlock[]> {
  const all: NativeBlock[] = [];
  for await (const block of blocks) all.push(block);
  return all;
}

const SQL = "SELECT n FROM t";
const FIRST = { preference: 0 };

test("the same preference selects the same replica, and preferences use all replicas", async () => {
  const { shard } = await start(3);
  const answers = await Promise.all(
    [0, 1, 2, 3, 4, 5].map(async (preference) => numbersOf(await shard.read(SQL, { preference }))),
  );
  expect(answers.flat()).toEqual([0, 1, 2, 0, 1, 2]);
});

const FAILURES: readonly (readonly [string, ScriptedAnswer])[] = [
  ["reset", "reset"],
  ["a proxy's 502", { status: 502 }],
  ["too many queries", exception(202)],
  ["an unknown table", exception(60, 404)],
  ["a damaged part", exception(40)],
  ["an exception behind a 200", exception(241, 200)],
  ["an answer cut short", { ...(answerOf(7) as object), isCut: true }],
  ["half a block", { body: Uint8Array.of(1, 3, 1) }],
];

test.each(FAILURES)("after %s the other replica is tried without a delay", async (_, failure) => {
  const { shard, first, waitedMs } = await start();
  first.answer = () => failure;
  expect(numbersOf(await shard.read(SQL, FIRST))).toEqual([1]);
  const answers = await shard.readEach(SQL, FIRST);
  expect(answers.map(({ blocks }) => numbersOf(blocks))).toEqual([[1]]);
  expect(waitedMs).toEqual([]);
});

test("an error that no replica can fix is thrown at once", async () => {
  const { shard, first, second, waitedMs } = await start();
  first.answer = () => exception(62, 400);
  await expect(shard.read(SQL, FIRST)).rejects.toMatchObject({ name: "ClickHouseError", code: 62 });
  await expect(shard.insert("t", [new Uint8Array(1)], FIRST)).rejects.toMatchObject({ code: 62 });
  expect(second.statements()).toEqual([]);
  expect(waitedMs).toEqual([]);
});

test("missing tables are an immediate error that names the migrate command", async () => {
  const { shard, replicas, waitedMs } = await start();
  for (const replica of replicas) replica.answer = () => exception(60, 404);
  const refusal = {
    code: "store-unusable",
    message: expect.stringContaining("tachograph migrate"),
  };
  await expect(shard.read(SQL, FIRST)).rejects.toMatchObject(refusal);
  await expect(shard.insert("t", [new Uint8Array(1)], FIRST)).rejects.toMatchObject(refusal);
  expect(waitedMs).toEqual([]);
});

test("unreachable servers are retried with growing delays, then given up", async () => {
  const { shard, replicas, waitedMs } = await start();
  for (const replica of replicas) replica.answer = () => "reset";
  await expect(shard.read(SQL, FIRST)).rejects.toMatchObject({ code: "store-unreachable" });
  expect(waitedMs).toEqual([25, 50, 100, 200, 400, 800, 1600, 1825]);
});

test.each([
  [252, "busy"],
  [243, "storage-full"],
  [242, "store-unreachable"],
])("a write refused with %d until the time limit fails as %s", async (code, meaning) => {
  const { shard, first, waitedMs } = await start(1);
  first.answer = () => exception(code);
  await expect(shard.insert("t", [new Uint8Array(1)], FIRST)).rejects.toMatchObject({
    code: meaning,
  });
  expect(waitedMs.reduce((sum, ms) => sum + ms)).toBe(30_000);
});

test.each(["reset", exception(242), exception(999), exception(286), { status: 504 }] as const)(
  "a write is repeated unchanged until it is acknowledged: %j",
  async (failure) => {
    const { shard, first, second } = await start();
    const block = Uint8Array.from({ length: 300 }, (_, index) => index);
    let left = 5;
    for (const each of [first, second]) each.answer = () => (left-- > 0 ? failure : {});
    await shard.insert("points", [block], { preference: 1 });
    const requests = [...first.server.requests, ...second.server.requests];
    const inserts = requests.filter(({ sql }) => sql === "INSERT INTO points FORMAT Native");
    expect(inserts.length).toBeGreaterThanOrEqual(6);
    expect(inserts.every(({ body }) => body.equals(block))).toBe(true);
  },
);

test.each([
  [3, "auto", "2"],
  [2, "auto", "2"],
  [3, 3, "3"],
  [2, undefined, null],
] as const)("with %d replicas, quorum %s sets insert_quorum %s", async (count, quorum, asked) => {
  const { shard, first } = await start(count, quorum === undefined ? {} : { quorum });
  first.answer = () => ({});
  await shard.insert("points", [new Uint8Array(1)], FIRST);
  const parameters = first.server.requests.at(-1)?.parameters;
  expect(parameters?.get("insert_quorum")).toBe(asked);
  expect(parameters?.get("insert_deduplicate")).toBe("0");
});

test("a replica that refused a write is tried last for two seconds, but still read", async () => {
  const { shard, first, second, pass } = await start();
  second.answer = () => ({});
  first.answer = () => exception(242);
  for (let count = 0; count < 3; count++) await shard.insert("t", [new Uint8Array(1)], FIRST);
  expect(first.statements().length).toBe(1);
  first.answer = () => answerOf(0);
  expect(numbersOf(await shard.read(SQL, FIRST))).toEqual([0]);
  pass(2000);
  await shard.insert("t", [new Uint8Array(1)], FIRST);
  expect(second.statements().length).toBe(3);
});

test("a stream that breaks after its first block is not restarted", async () => {
  const { shard, first, second } = await start();
  const { body } = answerOf(0) as { body: Uint8Array };
  // The first block is returned once the second has started.
  first.answer = () => ({ body: Buffer.concat([body, body, body.subarray(0, 5)]), isCut: true });
  const blocks = shard.streamOn(shard.nodes[0] as Node, SQL);
  expect((await blocks.next()).value?.rows).toBe(1);
  await expect(allOf(blocks)).rejects.toMatchObject({ code: "store-unreachable" });
  expect(second.statements()).toEqual([]);
});

test("a stream that is stopped early leaves no connection open", async () => {
  const { shard, first } = await start();
  const { body } = answerOf(0) as { body: Uint8Array };
  first.answer = () => ({ body: Buffer.concat(Array.from({ length: 100_000 }, () => body)) });
  for await (const block of shard.streamOn(shard.nodes[0] as Node, SQL)) {
    expect(block.rows).toBe(1);
    break;
  }
  expect(numbersOf(await shard.read(SQL, { preference: 1 }))).toEqual([1]);
});

test("readEach asks each node in order of preference, up to the limit", async () => {
  const { shard } = await start(3);
  const all = await shard.readEach(SQL, { preference: 1 });
  expect(all.map(({ node, blocks }) => [shard.nodes.indexOf(node), ...numbersOf(blocks)])).toEqual([
    [1, 1],
    [2, 2],
    [0, 0],
  ]);
  expect((await shard.readEach(SQL, { preference: 2, most: 2 })).length).toBe(2);
});

test("a hanging node is abandoned a few seconds after another one responded", async () => {
  const { shard, first } = await start();
  await shard.readEach(SQL, FIRST);
  first.answer = () => "silence";
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const asked = shard.readEach(SQL, FIRST);
  await vi.waitUntil(() => first.statements().length === 2);
  let answers: Awaited<typeof asked> = [];
  void asked.then((given) => (answers = given));
  while (answers.length === 0) {
    vi.advanceTimersByTime(100);
    await setImmediate();
  }
  expect(answers.map(({ blocks }) => numbersOf(blocks))).toEqual([[1]]);
  // It counts as failed and is not asked again soon.
  expect((await shard.readEach(SQL, FIRST)).length).toBe(1);
  expect(first.statements().length).toBe(2);
});

test("readOn reads the chosen node whatever its health, and tries once", async () => {
  const { shard, first } = await start();
  first.health = { body: "1795000000\t9\n" };
  const [node] = shard.nodes;
  if (node === undefined) throw new Error("no node");
  expect(numbersOf(await shard.readOn(node, SQL))).toEqual([0]);
  first.answer = () => "reset";
  await expect(shard.readOn(node, SQL)).rejects.toMatchObject({ code: "store-unreachable" });
});

test("an abort during a retry delay throws its reason", async () => {
  const { shard, replicas } = await start();
  const abort = new AbortController();
  const reason = new Error("enough");
  let asked = 0;
  for (const replica of replicas) {
    replica.answer = () => {
      if (++asked === 4) abort.abort(reason);
      return "reset";
    };
  }
  const options = { preference: 0, signal: abort.signal };
  await expect(shard.read(SQL, options)).rejects.toBe(reason);
});
