import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { openStoreIn, temporaryDirectory } from "../../../../test/support/store-directory.ts";

test("the log has the latest 10,000 entries of each key and project", async () => {
  const directory = temporaryDirectory();
  const { audit } = await openStoreIn(directory);
  const entry = { key: "ci", operation: "x", outcome: "done", details: undefined };
  const add = (target: string, project?: string, key: string | undefined = "ci") =>
    audit.add({ ...entry, atMs: 1, target, project, key });
  await add("evidence", undefined, "root");
  await add("pruned", undefined, undefined);
  await add("of web", "web");
  await add("first");
  const database = new DatabaseSync(path.join(directory, "store.db"));
  database.exec(`
    WITH RECURSIVE made (at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM made WHERE at < 9999)
    INSERT INTO audit (at_ms, key_name, operation, target, outcome)
    SELECT at, 'ci', 'x', 'made', 'done' FROM made`);
  database.close();
  const targets = async (project?: string) =>
    (await audit.list({ project, limit: 20_000 })).map(({ target }) => target);
  const others = ["pruned", "evidence"];
  expect((await targets()).slice(-3)).toEqual(["first", ...others]);
  await add("last");
  const left = await targets();
  expect(left).toHaveLength(10_000 + 2);
  expect([left[0], ...left.slice(-3)]).toEqual(["last", "made", ...others]);
  expect(await targets("web")).toEqual(["of web"]);
});
