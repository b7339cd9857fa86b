import { afterAll, expect, test } from "vitest";
import { sample } from "../../test/support/batches.ts";
import { createTestServer } from "../../test/support/test-server.ts";

/** Five minutes of 20 ms, then five minutes of 30 ms. */
const samples = Array.from({ length: 1200 }, (_, index) =>
  sample("a", 1_700_000_000 + Math.floor(index / 2), index < 600 ? 20_000 : 30_000),
);

const world = await createTestServer({ samples });
afterAll(() => world.server.close());

async function answerTo(query: string) {
  return world.server.inject({
    url: `/Api/LoadTests/run/Compare?${query}`,
    headers: { "x-service-auth": world.key },
  });
}

test("each of both load tests has its own range", async () => {
  const answer = await answerTo("base=run&baseUntil=1700000300&from=1700000300&filter=a");
  const { overall, endpoints } = answer.json();
  expect(overall.avgLoadTime).toMatchObject({ base: 0.02, value: 0.03, isSignificant: true });
  expect(overall.avgLoadTime.change).toBeCloseTo(0.5, 9);
  expect(endpoints).toMatchObject([
    { label: "a", verdict: "slower", count: { base: 600, value: 600 } },
  ]);
});

test.each([
  ["", 400, "base is required"],
  ["base=run&baseFrom=9&baseUntil=9", 400, "baseUntil: expected more than baseFrom, got 9"],
  ["base=run&skipStart=-1", 400, "skipStart: "],
  ["base=run&skipEnd=x", 400, "skipEnd: "],
  ["base=no", 404, '"no"'],
])("what is wrong with %j is told", async (query, status, detail) => {
  const answer = await answerTo(query);
  expect(answer.statusCode).toBe(status);
  expect(answer.json().detail).toContain(detail);
});
