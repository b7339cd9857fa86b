import { afterAll, expect, test } from "vitest";
import { createFakeProgram } from "../../../../test/support/fake-program.ts";
import { loadTest } from "../../../../test/support/load-tests.ts";
import { createTestServer } from "../../../../test/support/test-server.ts";

const world = await createTestServer();
const program = createFakeProgram({ ...world.store, close: async () => {} });
const key = await world.makeKey("read", "write");
const server = ["--url", await world.server.listen(), "--key", key];
afterAll(() => world.server.close());

test.each([
  ["the store", []],
  ["a server", server],
])("%s: events are added once, listed by time, and removed", async (name, place) => {
  const run = (words: readonly string[]) => program.run(["events", ...words, ...place]);
  const id = name.replace(" ", "-");
  await world.store.loadTests.create(loadTest(id));
  const later = await run(["add", id, "ramp ends", "--at", "2026-11-21T10:20:00Z"]);
  const added = await run(["add", id, "deployed 1.4", "--at", "1795256343.25"]);
  expect([later.exitCode, added.exitCode]).toEqual([0, 0]);
  expect((await run(["add", id, "deployed 1.4", "--at", "1795256343.25"])).out).toBe(added.out);
  const { out } = await run(["list", id]);
  expect(
    out
      .trimEnd()
      .split("\n")
      .map((line) => line.split(/ {2,}/)),
  ).toEqual([
    ["TIME", "ID", "TEXT"],
    ["2026-11-21T10:19:03.250Z", added.out.trim(), "deployed 1.4"],
    ["2026-11-21T10:20:00.000Z", later.out.trim(), "ramp ends"],
  ]);
  expect((await run(["remove", id, added.out.trim()])).exitCode).toBe(0);
  expect(JSON.parse((await run(["list", id, "--json"])).out)).toMatchObject([
    { text: "ramp ends" },
  ]);
  expect((await run(["add", id, "x".repeat(201)])).error).toMatch(
    /expected 1 to 200 characters, got 201/,
  );
  expect((await run(["list", "none"])).exitCode).toBe(1);
});
