import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { openStoreIn, temporaryDirectory } from "../../../../test/support/store-directory.ts";

test("the log has the latest 100,000 entries", async () => {
  const directory = temporaryDirectory();
  const { audit } = await openStoreIn(directory);
  const entry = { project: undefined, key: "ci", outcome: "done", details: undefined };
  await audit.add({ ...entry, atMs: 1, operation: "x", target: "first" });
  const database = new DatabaseSync(path.join(directory, "store.db"));
  database.exec(
    "INSERT INTO audit (number, at_ms, operation, target, outcome) VALUES (100000, 2, 'x', 'second', 'done')",
  );
  database.close();
  const query = { project: undefined, limit: 9 };
  expect(await audit.list(query)).toHaveLength(2);
  await audit.add({ ...entry, atMs: 3, operation: "x", target: "third" });
  expect((await audit.list(query)).map(({ target }) => target)).toEqual(["third", "second"]);
});
