import { afterEach, expect, test } from "vitest";
import type { ScriptedAnswer } from "../../../../test/support/scripted-clickhouse.ts";
import {
  type ScriptedShard,
  startScriptedShard,
} from "../../../../test/support/scripted-replicas.ts";
import { EverywhereTable } from "./everywhere-table.ts";
import { KEYS } from "./tables.ts";
import { NativeBlockWriter } from "../native/native-writer.ts";

const shards: ScriptedShard[] = [];

afterEach(async () => {
  await Promise.all(shards.splice(0).map((shard) => shard.close()));
});

/** Starts servers of which the second has the row after `askedUntilThere` queries. */
async function start(servers: number, askedUntilThere: number, quorum?: number) {
  const scripted = await startScriptedShard(servers, quorum === undefined ? {} : { quorum });
  shards.push(scripted);
  for (const [index, replica] of scripted.replicas.entries()) {
    replica.answer = () =>
      counted(index !== 1 || replica.statements().length > askedUntilThere ? 2 : 0);
  }
  const table = new EverywhereTable(scripted.cluster, KEYS);
  const waited = () => scripted.waitedMs.reduce((sum, ms) => sum + ms, 0);
  return { ...scripted, table, waited };
}

function counted(rows: number): ScriptedAnswer {
  const block = new NativeBlockWriter();
  block.unsigned64("a_rows").append([rows]);
  return { body: Buffer.concat(block.finish()) };
}

const ROW = { name: "a", field: "used", version: 7, value: "7" };

/** Bytes of the names, in hexadecimal digits. */
const [A, B, USED] = ["unhex('61')", "unhex('62')", "unhex('75736564')"];

test("a write waits for the second server in reading order, up to a limit", async () => {
  const { table, replicas, waited } = await start(3, Infinity);
  await table.write([ROW, { ...ROW, name: "b" }]);
  const [first, second, third] = replicas.map((replica) => replica.statements());
  expect(first?.[0]).toBe("INSERT INTO keys FORMAT Native");
  expect(second?.[0]).toBe(
    "SELECT count() AS a_rows FROM perf.keys FINAL WHERE " +
      `((name, field) IN ((${A}, ${USED}),(${B}, ${USED})) AND version >= 7) FORMAT Native`,
  );
  expect(third).toEqual([]);
  expect(waited()).toBe(2000);
});

test("a write stops waiting once the other server has the row", async () => {
  const { table, replicas } = await start(2, 4);
  await table.write([ROW]);
  expect(replicas[1]?.statements()).toHaveLength(5);
});

test("a write does not wait for a server that does not respond", async () => {
  const { table, replicas, waited } = await start(2, 4);
  for (const replica of replicas.slice(1)) replica.answer = () => "reset";
  await table.write([ROW]);
  expect(waited()).toBe(0);
});

test("a row is written to another server if the first one fails after accepting it", async () => {
  const { table, replicas } = await start(2, 0);
  const [first, second] = replicas;
  if (first === undefined || second === undefined) throw new Error("two servers were started");
  const inserts = () =>
    second.statements().filter((statement) => statement.startsWith("INSERT")).length;
  first.answer = () => (first.statements().length > 1 ? "reset" : counted(0));
  second.answer = () => counted(inserts());
  await table.write([ROW]);
  expect([inserts(), first.statements()[0]]).toEqual([1, "INSERT INTO keys FORMAT Native"]);
});

test.each([
  [1, undefined],
  [2, 2],
])("of %d servers with quorum %s none is asked after the write", async (servers, quorum) => {
  const { table, replicas } = await start(servers, 4, quorum);
  await table.write([ROW]);
  expect(replicas.flatMap((replica) => replica.statements())).toHaveLength(1);
});
