import { afterAll, expect, test } from "vitest";
import { createTestServer } from "../../test/support/test-server.ts";

const world = await createTestServer();
afterAll(() => world.server.close());
for (const [id, tags] of Object.entries({ a: ["eu", "main"], b: ["eu"], c: ["edge"], d: [] })) {
  await world.store.loadTests.create({ id, name: `Name of ${id}`, createdAtMs: 1, tags });
}

test.each([
  [
    "",
    5,
    [
      ["eu", 2],
      ["edge", 1],
      ["main", 1],
    ],
  ],
  ["?search=OF%20B", 1, [["eu", 1]]],
  ["?search=none", 0, []],
])("tags%s are counted, the most frequent first", async (query, loadTests, tags) => {
  const answer = await world.ask(`/Api/Tags${query}`);
  expect(answer.json()).toEqual({
    loadTests,
    tags: tags.map(([tag, count]) => ({ tag, loadTests: count })),
  });
});
