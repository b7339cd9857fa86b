import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { loadTest } from "../../../../test/support/load-tests.ts";
import { openStoreIn, temporaryDirectory } from "../../../../test/support/store-directory.ts";
import { revisionOf } from "../../../series/open-snapshot.ts";

test("the latest eight parts stay, and all go with their load test", async () => {
  const directory = temporaryDirectory();
  const store = await openStoreIn(directory);
  await store.loadTests.create(loadTest());
  const { figures } = store.points;
  const revision = (await revisionOf(store.points, "run")) ?? "";
  for (let part = 0; part < 10; part++) {
    await figures.keep("run", String(part), { revision, text: "x" });
  }
  const sizes = await Promise.all(
    Array.from({ length: 10 }, async (_, part) => (await figures.find(["run"], `${part}`)).size),
  );
  expect(sizes).toEqual([0, 0, 1, 1, 1, 1, 1, 1, 1, 1]);
  await store.loadTests.delete("run");
  const database = new DatabaseSync(path.join(directory, "store.db"));
  expect(database.prepare("SELECT count(*) AS rows FROM figures").get()).toEqual({ rows: 0 });
  database.close();
});
