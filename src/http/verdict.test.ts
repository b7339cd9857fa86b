import { expect, test } from "vitest";
import { batchOf, sample } from "../../test/support/batches.ts";
import { loadTest } from "../../test/support/load-tests.ts";
import { measured, seriesWith } from "../../test/support/measures.ts";
import { measureTable } from "../../test/support/plain-measures.ts";
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
  const { statusCode } = await world.ask(`/Api/Thresholds/${name}`, {
    method: "PUT",
    key: write,
    payload: { thresholds },
  });
  expect(statusCode).toBe(204);
}

async function verdict(id: string) {
  const { statusCode, body } = await world.ask(`/Api/LoadTests/${id}/Verdict`);
  return [statusCode, JSON.parse(body) as Record<string, unknown>];
}

const { name } = loadTest();

test("a load test without thresholds fails none", async () => {
  expect(await verdict("run")).toEqual([
    200,
    { name, against: null, fails: false, checked: 0, failed: 0, judged: 0, thresholds: [] },
  ]);
});

test("thresholds of the name are checked, with their policies", async () => {
  await keep(
    name,
    { failIf: ["avg > 15ms", "avg > 20ms"], owner: "shop" },
    { failIf: ["max > 1ms"], severity: "warn" },
    { failIf: ["max > 1ms"], acceptedUntil: "2026-11-21", reason: "SHOP-12" },
    { failIf: ["p95 grows > 10%"] },
    { failIf: ["each *cart*: errors > 1%"], severity: "warn" },
  );
  const value = { kind: "value", figure: "max", unit: "seconds", isAccepted: false };
  const expected = [
    {
      failIf: "avg > 15ms",
      bound: 0.015,
      figure: "avg",
      outcome: "broken",
      fails: true,
      measured: 0.02,
      owner: "shop",
    },
    {
      failIf: "avg > 20ms",
      bound: 0.02,
      figure: "avg",
      outcome: "kept",
      fails: false,
      measured: 0.02,
      owner: "shop",
    },
    {
      failIf: "max > 1ms",
      bound: 0.001,
      outcome: "broken",
      fails: false,
      measured: 0.02,
      severity: "warn",
    },
    {
      failIf: "max > 1ms",
      bound: 0.001,
      outcome: "broken",
      fails: false,
      measured: 0.02,
      isAccepted: true,
      acceptedUntil: "2026-11-21",
      reason: "SHOP-12",
    },
    {
      failIf: "p95 grows > 10%",
      bound: 0.1,
      figure: "p95",
      kind: "growth",
      unit: "share",
      outcome: "unjudged",
      fails: false,
    },
    {
      failIf: "each *cart*: errors > 1%",
      bound: 0.01,
      endpoint: "*cart*",
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
      checked: 6,
      failed: 1,
      // Growth has no baseline.
      judged: 5,
      thresholds: expected.map((each) => ({
        ...value,
        comparison: ">",
        severity: "fail",
        ...each,
      })),
    },
  ]);
});

test("growth is measured against the baseline", async () => {
  await keep(name, { failIf: ["avg grows > 10%"] });
  await world.store.loadTests.create({ ...loadTest(), id: "later" });
  await world.store.points.append(batchOf(requests(40), { loadTestId: "later" }));
  await world.store.loadTests.update("run", { addedTags: ["baseline"] });
  const [, found] = await verdict("later");
  expect(found).toMatchObject({
    against: "run",
    thresholds: [{ kind: "growth", measured: 1, base: 0.02, value: 0.04 }],
  });
  expect((await verdict("run"))[1]).toMatchObject({ against: null });
});

test("growth of a share of true values is one in points", async () => {
  const checks = seriesWith({ name: "checks", unit: "", kind: "rate" });
  await keep("checks of a test", { failIf: ["measure checks: avg grows > 5%"] });
  for (const [id, passed] of Object.entries({ "checks-1": 8, "checks-2": 9 })) {
    await world.store.loadTests.create({ ...loadTest(), id, name: "checks of a test" });
    const values = Array.from({ length: 10 }, (_, at) =>
      measured(1_700_000_000 + at, at < passed ? 1 : 0, checks),
    );
    const batch = batchOf(requests(20), { loadTestId: id });
    await world.store.points.append({ ...batch, measures: measureTable(values) });
  }
  await world.store.loadTests.update("checks-1", { addedTags: ["baseline"] });
  const [, found] = await verdict("checks-2");
  const { thresholds } = found as { readonly thresholds: { readonly measured: number }[] };
  expect(thresholds).toMatchObject([{ base: 0.8, value: 0.9, isShare: true }]);
  expect(thresholds[0]?.measured).toBeCloseTo(0.1);
});

/** A load test with the endpoints `/1`, `/2`…, each with a request of as many ms. */
async function createWide(id: string, endpoints: number): Promise<void> {
  await world.store.loadTests.create({ ...loadTest(), id, name: id });
  const samples = Array.from({ length: endpoints }, (_, index) =>
    sample(`/${index + 1}`, 1_700_000_000, (index + 1) * 1000),
  );
  await world.store.points.append(batchOf(samples, { loadTestId: id }));
}

test("of more than a thousand checks, the worst are listed and all are counted", async () => {
  await createWide("wide", 1200);
  await keep(
    "wide",
    { failIf: ["max > 1ms"] },
    { failIf: ["each: max > 1100ms", "each: max > 600ms"] },
    { failIf: ["each /*: max > 5s"] },
  );
  const [status, found] = await verdict("wide");
  expect(status).toBe(200);
  const { thresholds, ...rest } = found as { readonly thresholds: { failIf: string }[] };
  // 1 + 100 (1101 to 1200 ms) + 600 (601 to 1200 ms) fail, and the best 2 x 1200 + 100 + 500 do not.
  const counts = { checked: 3601, failed: 701, judged: 3601 };
  expect(rest).toEqual({ name: "wide", against: null, fails: true, ...counts });
  // The other 299 are those that are nearest to their bounds.
  const nearest = Array.from({ length: 299 }, (_, index) => [
    [`/${1100 - index}: max > 1100ms`, index / 1100],
    [`/${600 - index}: max > 600ms`, index / 600],
    [`/${1200 - index}: max > 5s`, (3800 + index) / 5000],
  ]);
  const first = (nearest.flat() as [string, number][])
    .toSorted(([, left], [, right]) => left - right)
    .slice(0, 299)
    .map(([text]) => text);
  const failing = [
    "max > 1ms",
    ...Array.from({ length: 100 }, (_, index) => `/${1200 - index}: max > 1100ms`),
    ...Array.from({ length: 600 }, (_, index) => `/${1200 - index}: max > 600ms`),
  ];
  expect(thresholds.map(({ failIf }) => failIf).toSorted()).toEqual(
    [...failing, ...first].toSorted(),
  );
  expect(thresholds.slice(0, 3).map(({ failIf }) => failIf)).toEqual([
    "max > 1ms",
    "/1200: max > 1100ms",
    "/1199: max > 1100ms",
  ]);
});

test("more than a million checks are refused", async () => {
  await createWide("wider", 1001);
  const failIf = Array.from({ length: 1000 }, () => "each: max > 1s");
  await keep("wider", { failIf });
  expect(await verdict("wider")).toEqual([
    422,
    expect.objectContaining({
      detail:
        "1000 expressions on the endpoints that their patterns match are more than 1000000 checks; " +
        "use narrower patterns or fewer expressions",
    }),
  ]);
});

test("very many percentiles of very many endpoints are refused", async () => {
  // 1,001 endpoints, and 1,000 percentiles of each.
  const failIf = Array.from({ length: 1000 }, (_, index) => `/1: p${(index + 1) / 100} > 1s`);
  await keep("wider", { failIf });
  expect((await verdict("wider"))[0]).toBe(422);
  await keep("wider", { failIf: failIf.slice(0, 990) });
  expect((await verdict("wider"))[0]).toBe(200);
  const ofAll = failIf.map((text) => text.replace("/1: ", ""));
  await keep("wider", { failIf: ofAll });
  expect((await verdict("wider"))[0]).toBe(200);
});

test("an unknown load test is not found", async () => {
  expect((await verdict("none"))[0]).toBe(404);
});
