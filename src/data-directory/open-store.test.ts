import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { batchOf, sample } from "../../test/support/batches.ts";
import { loadTest } from "../../test/support/load-tests.ts";
import { temporaryDirectory } from "../../test/support/store-directory.ts";
import { lockForServer } from "../store/sqlite/file/server-lock.ts";
import { openSqliteStore } from "../store/sqlite/store.ts";
import { storeFile } from "./directory.ts";
import { openStoreAt } from "./open-store.ts";

const HOUR_MS = 3_600_000;

function unexpected(message: unknown): never {
  expect.fail(String(message));
}

test.each([
  ["a command", {}],
  ["a second server", { damaged: unexpected }],
])("%s leaves deleted blocks to the server, and deletes them without one", async (_, options) => {
  const directory = temporaryDirectory();
  const server = await openSqliteStore(storeFile(directory), { now: () => Date.now() - HOUR_MS });
  await server.loadTests.create(loadTest());
  await server.points.append(batchOf([sample("a", 1)]));
  await server.loadTests.delete("run");
  const lock = lockForServer(directory, process.pid);
  const blocksAfterCommand = async (): Promise<unknown> => {
    const location = { directory, postgres: undefined };
    const store = await openStoreAt(
      location,
      { mayCreate: false, ...options },
      { warn: unexpected },
    );
    await store.close();
    const file = new DatabaseSync(storeFile(directory), { readOnly: true });
    const count = file.prepare("SELECT count(*) AS count FROM blocks").get()?.["count"];
    file.close();
    return count;
  };
  expect(await blocksAfterCommand()).toBe(1);
  lock.release();
  expect(await blocksAfterCommand()).toBe(0);
  await server.close();
});
