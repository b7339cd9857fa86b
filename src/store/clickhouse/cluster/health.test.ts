import { afterEach, expect, test } from "vitest";
import { exception } from "../../../../test/support/scripted-clickhouse.ts";
import {
  FIT,
  type ScriptedReplica,
  type ScriptedShard,
  startScriptedShard,
} from "../../../../test/support/scripted-replicas.ts";

/** The response of a killed server that has not found its log: the current time in seconds. */
const LOST = { body: "1795312033\t0\n" };

const SQL = "SELECT n FROM t";

const shards: ScriptedShard[] = [];

afterEach(async () => {
  await Promise.all(shards.splice(0).map((shard) => shard.close()));
});

interface Shard extends ScriptedShard {
  readonly first: ScriptedReplica;
  readonly second: ScriptedReplica;
  /** Returns the replica that serves a read with a preference for the first. */
  readonly readByFirst: () => Promise<number | undefined>;
}

async function start(count = 2): Promise<Shard> {
  const started = await startScriptedShard(count);
  shards.push(started);
  const [first, second = first] = started.replicas as readonly [ScriptedReplica, ScriptedReplica?];
  return {
    ...started,
    first,
    second,
    async readByFirst() {
      const [block] = await started.shard.read(SQL, { preference: 0 });
      return block?.numbers("n")[0];
    },
  };
}

test.each([
  ["0\t0\n", 0],
  ["5\t3\n", 0],
  ["6\t0\n", 1],
  ["1795312033\t0\n", 1],
])("a replica that reports %j is read only if it is healthy", async (said, reader) => {
  const { first, readByFirst } = await start();
  first.health = { body: said };
  expect(await readByFirst()).toBe(reader);
});

test("if no replica is healthy, the one with the least delay is read", async () => {
  const { first, second, readByFirst, waitedMs } = await start();
  first.health = { body: "60\t0\n" };
  second.health = { body: "20\t0\n" };
  expect(await readByFirst()).toBe(1);
  expect(waitedMs).toEqual([]);
});

test("if the delay of all replicas is unknown, the store is behind", async () => {
  const { first, second, readByFirst } = await start();
  first.health = LOST;
  second.health = LOST;
  await expect(readByFirst()).rejects.toMatchObject({ code: "store-behind" });
});

test("a replica with an unknown delay is written to only if no other accepts the write", async () => {
  const { shard, first, second } = await start();
  for (const each of [first, second]) each.answer = () => ({});
  first.health = LOST;
  await shard.insert("t", [new Uint8Array(1)], { preference: 0 });
  expect([first.statements().length, second.statements().length]).toEqual([0, 1]);
  second.answer = () => exception(242);
  await shard.insert("t", [new Uint8Array(1)], { preference: 0 });
  expect([first.statements().length, second.statements().length]).toEqual([1, 2]);
});

test("the only replica is always up to date", async () => {
  const { shard, first } = await start(1);
  first.health = LOST;
  expect((await shard.read(SQL, { preference: 0 })).length).toBe(1);
});

test("health is checked at most once a second", async () => {
  const { first, readByFirst, pass } = await start();
  await Promise.all([readByFirst(), readByFirst(), readByFirst()]);
  pass(999);
  await readByFirst();
  expect(first.healthAsked()).toBe(1);
  pass(1);
  await readByFirst();
  expect(first.healthAsked()).toBe(2);
});

test("health is checked again after a connection closed", async () => {
  const { first, readByFirst } = await start();
  expect(await readByFirst()).toBe(0);
  first.health = LOST;
  const closed = [...first.server.sockets].map((socket) => {
    const gone = new Promise((resolve) => socket.on("close", resolve));
    socket.destroy();
    return gone;
  });
  await Promise.all(closed);
  await expect.poll(readByFirst).toBe(1);
});

test("a failed replica is skipped, then checked, and read once it has caught up", async () => {
  const { shard, first, readByFirst, pass } = await start();
  const { answer } = first;
  first.answer = () => "reset";
  expect(await readByFirst()).toBe(1);
  first.answer = answer;
  const asked = first.statements().length;

  pass(1999);
  expect(await readByFirst()).toBe(1);
  expect((await shard.readEach(SQL, { preference: 0 })).length).toBe(1);
  expect(first.statements().length).toBe(asked);

  first.health = { body: "0\t2\n" };
  pass(1);
  await readByFirst();
  await expect.poll(async () => (await shard.readEach(SQL, { preference: 0 })).length).toBe(2);
  expect(await readByFirst()).toBe(1);

  first.health = FIT;
  pass(1000);
  expect(await readByFirst()).toBe(0);
});

test("a replica whose health check fails counts as failed", async () => {
  const { first, readByFirst } = await start();
  first.health = { status: 503 };
  expect(await readByFirst()).toBe(1);
  await readByFirst();
  expect(first.statements()).toEqual([]);
});

test("a replica with an unexpected health response is not read", async () => {
  const { first, readByFirst } = await start();
  first.health = { body: "<html>" };
  expect(await readByFirst()).toBe(1);
});
