import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { batchOf, sample } from "../../../../test/support/batches.ts";
import { loadTest } from "../../../../test/support/load-tests.ts";
import { openStoreIn, temporaryDirectory } from "../../../../test/support/store-directory.ts";
import { projectStore } from "../../../catalogue/project-store.ts";
import { revisionOf } from "../../../series/open-snapshot.ts";
import type { Store } from "../../store.ts";

async function open(project?: string) {
  const directory = temporaryDirectory();
  const store = projectStore(await openStoreIn(directory), project);
  for (const id of ["run", "other"]) await store.loadTests.create(loadTest(id));
  const { figures } = store.points;
  return { directory, store, figures, ids: ["run", "other", "none"] };
}

async function keep({ points }: Store, part: string, text: string, joined = ""): Promise<void> {
  const revision = `${await revisionOf(points, "run")}${joined}`;
  await points.figures.keep("run", part, { revision, text });
}

test.each([undefined, "web"])(
  "figures are found until their load test changes",
  async (project) => {
    const { store, figures, ids } = await open(project);
    await keep(store, "all", "first");
    await keep(store, "all", "second", "+other-7");
    const revision = await revisionOf(store.points, "run");
    const stored = new Map([["run", { revision, text: "second" }]]);
    expect(await figures.find(ids, "all")).toEqual(stored);
    expect(await figures.find(ids, "ramps")).toEqual(new Map());
    await store.points.append(batchOf([sample("a", 1)]));
    expect(await figures.find(ids, "all")).toEqual(new Map());
    await figures.keep("run", "all", { revision: revision as string, text: "late" });
    expect(await figures.find(ids, "all")).toEqual(new Map());
  },
);

test("the latest eight parts stay, and all go with their load test", async () => {
  const { directory, store, figures } = await open();
  for (let part = 0; part < 10; part++) await keep(store, String(part), "x");
  const sizes = await Promise.all(
    Array.from({ length: 10 }, async (_, part) => (await figures.find(["run"], `${part}`)).size),
  );
  expect(sizes).toEqual([0, 0, 1, 1, 1, 1, 1, 1, 1, 1]);
  await store.loadTests.delete("run");
  const database = new DatabaseSync(path.join(directory, "store.db"));
  expect(database.prepare("SELECT count(*) AS rows FROM figures").get()).toEqual({ rows: 0 });
  database.close();
});
