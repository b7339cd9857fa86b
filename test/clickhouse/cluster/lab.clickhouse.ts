import { cpSync } from "node:fs";
import path from "node:path";
import { beforeAll, expect, test } from "vitest";
import { labForTests } from "../lab/lab-for-tests.ts";

const lab = labForTests({ shards: 2, replicas: 2 });

beforeAll(async () => {
  for (const [shard, replicas] of lab().shards.entries()) {
    for (const server of replicas) {
      const engine = `ReplicatedMergeTree('/lab/${shard}', '${server.name}')`;
      await server.sql(`CREATE TABLE copied (a UInt32) ENGINE = ${engine} ORDER BY a`);
    }
  }
});

test("a replica that was killed has, once it has caught up, what the other one took", async () => {
  const [first, second] = [lab().server("s1r1"), lab().server("s1r2")];
  await lab().kill("s1r1");
  await second.sql("INSERT INTO copied VALUES (1)");
  await lab().startAgain("s1r1");
  await lab().untilCaughtUp();
  expect(await first.sql("SELECT a FROM copied")).toBe("1\n");
  expect(await lab().server("s2r1").sql("SELECT a FROM copied")).toBe("");
});

test("a server that no longer trusts its parts restores them", async () => {
  const server = lab().server("s2r2");
  await server.sql("INSERT INTO copied SELECT number FROM system.numbers LIMIT 10");
  await server.program.end("SIGTERM");
  // Makes more than half of the files on its disk unknown to ZooKeeper.
  const parts = path.join(server.program.folder, "data/data/default/copied");
  for (const unknown of ["all_7_7_0", "all_8_8_0"]) {
    cpSync(path.join(parts, "all_0_0_0"), path.join(parts, unknown), { recursive: true });
  }
  expect(await lab().startAgain("s2r2")).toEqual({ isRestored: true });
  await lab().untilCaughtUp();
  expect(await server.sql("SELECT count() FROM copied")).toBe("10\n");
});
