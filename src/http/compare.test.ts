import { afterAll, expect, test } from "vitest";
import { batchOf, sample } from "../../test/support/batches.ts";
import { loadTest } from "../../test/support/load-tests.ts";
import { createTestServer } from "../../test/support/test-server.ts";

/** Five minutes of 20 ms, then five minutes of 30 ms. */
const samples = Array.from({ length: 1200 }, (_, index) =>
  sample("a", 1_700_000_000 + Math.floor(index / 2), index < 600 ? 20_000 : 30_000),
);

const world = await createTestServer({ samples });
afterAll(() => world.server.close());

async function answerTo(query: string) {
  return world.ask(`/Api/LoadTests/run/Compare?${query}`);
}

test("each of both runs has its own range", async () => {
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
])("reports the mistake in %j", async (query, status, detail) => {
  const answer = await answerTo(query);
  expect(answer.statusCode).toBe(status);
  expect(answer.json().detail).toContain(detail);
});

test("another earlier run changes the response although neither compared run changed", async () => {
  const own = await createTestServer();
  const nights = [1, 1.05, 0.95, 1.02, 1.01, 1.3];
  const add = async (night: number): Promise<void> => {
    const start = 1_700_000_000 + night * 86_400;
    const ofNight = Array.from({ length: 600 }, (_, index) =>
      sample("a", start + Math.floor(index / 2), Math.round(20_000 * (nights[night] ?? 0))),
    );
    const loadTestId = `night-${night}`;
    await own.store.loadTests.create({ ...loadTest(loadTestId), name: "nightly" });
    await own.store.points.append(batchOf(ofNight, { loadTestId }));
  };
  const compare = async () => {
    const url = "/Api/LoadTests/night-5/Compare?base=night-4";
    return (await own.ask(url)).json();
  };
  for (const night of [2, 3, 4, 5]) await add(night);
  const few = await compare();
  expect(few.noise).toEqual({
    kind: "within",
    earlierRuns: { name: "nightly", loadTests: 3 },
    message:
      'noise between runs is unknown: there are 3 earlier runs named "nightly", and 4 are needed',
  });
  expect(few.overall.p95).not.toHaveProperty("betweenRuns");
  await add(1);
  const enough = await compare();
  expect(enough.noise).toEqual({
    kind: "between",
    earlierRuns: { name: "nightly", loadTests: 4 },
    message: 'noise between runs is measured over 4 earlier runs of "nightly"',
  });
  expect(enough.overall.p95.betweenRuns).toMatchObject({ loadTests: 4, degreesOfFreedom: 3 });
  // The limits are wider: runs differ by more than requests do.
  expect(enough.overall.p95.high).toBeGreaterThan(few.overall.p95.high);
  await own.server.close();
});

test("a run and its copy are unchanged, whatever their slow minute and the earlier runs", async () => {
  const own = await createTestServer();
  const add = async (night: number, name: string): Promise<void> => {
    const start = 1_700_000_000 + night * 86_400;
    const factor = [1, 1.2, 0.8, 1.1, 0.9][night % 5] ?? 1;
    const ofNight = Array.from({ length: 300 }, (_, second) => {
      const isSlow = second >= 100 && second < 160;
      const micros = (20_000 + ((second * 7) % 10) * 1000) * factor * (isSlow ? 9 : 1);
      return sample(`endpoint ${second % 5}`, start + second, Math.round(micros));
    });
    const loadTestId = `${name}-${night}`;
    await own.store.loadTests.create({ ...loadTest(loadTestId), name });
    await own.store.points.append(batchOf(ofNight, { loadTestId }));
  };
  const verdictsOf = async (query: string) => {
    const url = `/Api/LoadTests/${query}`;
    const { overall, endpoints } = (await own.ask(url)).json();
    return [overall, ...endpoints].map(({ verdict }: { readonly verdict: string }) => verdict);
  };
  const unchanged = Array.from({ length: 6 }, () => "unchanged");
  for (const night of [0, 1, 2, 3, 4, 5]) await add(night, "nightly");
  await add(5, "copy");
  expect(await verdictsOf("copy-5/Compare?base=nightly-5")).toEqual(unchanged);
  expect(await verdictsOf("nightly-5/Compare?base=nightly-5")).toEqual(unchanged);
  expect(await verdictsOf("nightly-4/Compare?base=nightly-5")).not.toContain("unchanged");
  await own.server.close();
});
