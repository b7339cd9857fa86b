import { expect, test } from "vitest";
import { batchOf, sample } from "../../test/support/batches.ts";
import { loadTest } from "../../test/support/load-tests.ts";
import { createTestServer } from "../../test/support/test-server.ts";

/** Ten requests of as many ms to one endpoint, one per second. */
function requests(elapsedMs: number) {
  return Array.from({ length: 10 }, (_, index) =>
    sample("GET /", 1_700_000_000 + index, elapsedMs * 1000),
  );
}

const world = await createTestServer({ samples: requests(20) });
const write = await world.makeKey("write");

async function keep(name: string, ...thresholds: readonly object[]): Promise<void> {
  const { statusCode } = await world.server.inject({
    method: "PUT",
    url: `/Api/Thresholds/${name}`,
    headers: { "x-service-auth": write },
    payload: { thresholds },
  });
  expect(statusCode).toBe(204);
}

async function verdict(id: string) {
  const { statusCode, body } = await world.server.inject({
    url: `/Api/LoadTests/${id}/Verdict`,
    headers: { "x-service-auth": world.key },
  });
  return [statusCode, JSON.parse(body) as Record<string, unknown>];
}

const { name } = loadTest();

test("a load test without thresholds fails none", async () => {
  expect(await verdict("run")).toEqual([
    200,
    { name, against: null, fails: false, thresholds: [] },
  ]);
});

test("thresholds of the name are checked, with their policies", async () => {
  await keep(
    name,
    { failIf: ["avg > 15ms", "avg > 20ms"], owner: "shop" },
    { failIf: ["max > 1ms"], severity: "warn" },
    { failIf: ["max > 1ms"], acceptedUntil: "2026-11-21", reason: "SHOP-12" },
    { failIf: ["p95 grows > 10%"] },
    { filter: "/cart", failIf: ["errors > 1%"], severity: "warn" },
  );
  const value = { about: "value", figure: "max", unit: "seconds", isAccepted: false };
  const expected = [
    {
      failIf: "avg > 15ms",
      figure: "avg",
      outcome: "broken",
      fails: true,
      measured: 0.02,
      owner: "shop",
    },
    {
      failIf: "avg > 20ms",
      figure: "avg",
      outcome: "kept",
      fails: false,
      measured: 0.02,
      owner: "shop",
    },
    { failIf: "max > 1ms", outcome: "broken", fails: false, measured: 0.02, severity: "warn" },
    {
      failIf: "max > 1ms",
      outcome: "broken",
      fails: false,
      measured: 0.02,
      isAccepted: true,
      acceptedUntil: "2026-11-21",
      reason: "SHOP-12",
    },
    {
      failIf: "p95 grows > 10%",
      figure: "p95",
      about: "growth",
      unit: "share",
      outcome: "unjudged",
      fails: false,
    },
    {
      failIf: "/cart: errors > 1%",
      figure: "errors",
      unit: "share",
      outcome: "unmeasured",
      fails: false,
      severity: "warn",
    },
  ];
  expect(await verdict("run")).toEqual([
    200,
    {
      name,
      against: null,
      fails: true,
      thresholds: expected.map((each) => ({ ...value, severity: "fail", ...each })),
    },
  ]);
});

test("growth is measured against the pinned baseline", async () => {
  await keep(name, { failIf: ["avg grows > 10%"] });
  await world.store.loadTests.create({ ...loadTest(), id: "later" });
  await world.store.points.append(batchOf(requests(40), { loadTestId: "later" }));
  await world.store.loadTests.update("run", { addedTags: ["baseline"] });
  const [, found] = await verdict("later");
  expect(found).toMatchObject({
    against: "run",
    thresholds: [{ about: "growth", measured: 1, base: 0.02, value: 0.04 }],
  });
  expect((await verdict("run"))[1]).toMatchObject({ against: null });
});

test("an unknown load test is not found", async () => {
  expect((await verdict("none"))[0]).toBe(404);
});
