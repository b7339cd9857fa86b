import { expect, test } from "vitest";
import { batchOf, published, sample } from "../../../test/support/batches.ts";
import { answersOf } from "../../../test/support/copying.ts";
import { createFakeProgram } from "../../../test/support/fake-program.ts";
import { loadTest } from "../../../test/support/load-tests.ts";
import { openMemoryStore } from "../../../test/support/memory-store/memory-store.ts";
import type { Store } from "../../store/store.ts";

const NOW_MS = Date.UTC(2026, 10, 21, 12);

const PLACES = ["copy", "--from", "/from", "--to", "/to"];

async function filled(): Promise<Store> {
  const store = { ...openMemoryStore({ now: () => NOW_MS }), close: async () => {} };
  await store.loadTests.create(loadTest("file"));
  const file = { loadTestId: "file", sourceId: "results", visibility: "staged" } as const;
  await store.points.append(batchOf([sample("a", 1), sample("b", 2)], file));
  await store.points.publish(published("results", "file"));
  await store.keys.add({
    name: "robot",
    digest: "0".repeat(64),
    scopes: ["read"],
    createdAtMs: 1,
    expiresAtMs: undefined,
  });
  return store;
}

async function addRunning({ loadTests, points }: Store): Promise<void> {
  await loadTests.create(loadTest("live"));
  await points.append(batchOf([sample("a", 3)], { loadTestId: "live" }));
}

function programWith(from: Store, to: Store) {
  return createFakeProgram(undefined, (location) => (location.directory === "/to" ? to : from));
}

function empty(): Store {
  return { ...openMemoryStore(), close: async () => {} };
}

test("copy reports each load test and the total, and on repetition that nothing was left to do", async () => {
  const [from, to] = [await filled(), empty()];
  const program = programWith(from, to);
  expect(await program.run([...PLACES, "--keys"])).toEqual({
    exitCode: 0,
    error: "",
    out:
      "file: 1 source, 1 of them new, 2 points sent, both sides are the same\n" +
      "1 run, 1 new source, 2 points in 0.0 s: 2,000 points/s, 176 kB/s\n" +
      "1 key\n",
  });
  expect(await answersOf(to, "file")).toEqual(await answersOf(from, "file"));
  expect(await to.keys.list()).toEqual(await from.keys.list());
  const { out } = await program.run(PLACES);
  expect(out).toContain("file: 1 source, 0 of them new, 0 points sent, both sides are the same\n");
});

test("copy exits with 3 if something may still be running, unless told to copy it", async () => {
  const [from, to] = [await filled(), empty()];
  await addRunning(from);
  const program = programWith(from, to);
  const { exitCode, out } = await program.run(PLACES);
  expect([exitCode, out]).toEqual([3, expect.stringContaining("live: left out: it may still be")]);
  expect(await program.run([...PLACES, "--id", "file"])).toMatchObject({ exitCode: 0 });
  expect(await program.run([...PLACES, "--even-running"])).toMatchObject({ exitCode: 0 });
  expect(await answersOf(to, "live")).toEqual(await answersOf(from, "live"));
});

test("copy exits with 1 if both sides differ or a load test could not be copied", async () => {
  const [from, to] = [await filled(), empty()];
  const program = programWith(from, to);
  await program.run(PLACES);
  await to.points.append(batchOf([sample("a", 1)], { loadTestId: "file", sourceId: "new" }));
  const { exitCode, out } = await program.run(PLACES);
  expect([exitCode, out]).toEqual([
    1,
    expect.stringContaining('NOT THE SAME:\n  source "new" is in the copy alone\n'),
  ]);
  await to.loadTests.delete("file");
  await to.loadTests.create({ ...loadTest("file"), createdAtMs: 5 });
  const other = await program.run([...PLACES, "--json"]);
  expect(other.exitCode).toBe(1);
  expect(JSON.parse(other.out)).toEqual({
    loadTests: [{ id: "file", leftOut: expect.any(String) as unknown, isRunning: false }],
    elapsedMs: 0,
  });
});

test("copy reports keys that differ on the target", async () => {
  const [from, to] = [await filled(), empty()];
  const [key] = await from.keys.list();
  if (key === undefined) throw new Error("a key was made");
  await to.keys.add({ ...key, digest: "1".repeat(64) });
  const { exitCode, out } = await programWith(from, to).run([...PLACES, "--keys"]);
  expect([exitCode, out]).toEqual([
    1,
    expect.stringContaining('0 keys\n  key "robot" is another one in the copy\n'),
  ]);
});

test.each([
  ["/from", "/from/", "/from"],
  ["postgres://a:secret@db/x", "postgres://a:secret@db/x", "postgres://a:…@db/x"],
])("copy refuses to copy %s into itself", async (from, to, named) => {
  const { exitCode, error } = await createFakeProgram().run(["copy", "--from", from, "--to", to]);
  expect([exitCode, error]).toEqual([2, expect.stringContaining(`the same place: ${named}\n`)]);
});

test.each([
  ["/data/tachograph", "postgres://db/x"],
  ["postgres://db/x", "/data/tachograph"],
  ["postgres://db/x", "postgres://db/y"],
])("copy from %s to %s, where the data directory is /data/tachograph", async (from, to) => {
  const stores = new Map([
    [from, await filled()],
    [to, empty()],
  ]);
  const program = createFakeProgram(undefined, ({ postgres, directory }) =>
    stores.get(postgres ?? directory),
  );
  expect(await program.run(["copy", "--from", from, "--to", to])).toMatchObject({
    exitCode: 0,
    out: expect.stringContaining("both sides are the same"),
  });
});
