import { anomaliesOf } from "./incidents.ts";
import { expect, onTestFinished, test, vi } from "vitest";
import { seededRandom } from "../../../bench/seeded-random.ts";
import { firstOf } from "../../../test/support/anomalies.ts";
import { batchOf, type LabelledSample, sample } from "../../../test/support/batches.ts";
import { turnsDuring } from "../../../test/support/turns.ts";
import { ALL_ENDPOINTS } from "../../series/endpoint-selection.ts";
import { readFindings } from "./read-findings.ts";
import { memoryStoreWith } from "../../../test/support/stored-runs.ts";

const START = 1_700_000_000;
const LABELS = ["home", "search", "cart", "pay"];

interface Shape {
  readonly seconds: number;
  readonly requestsPerSecond: number;
  /** Factor on response times. */
  readonly slowdown: (second: number, label: string) => number;
  /** Share of requests that fail. */
  readonly failing: (second: number, label: string) => number;
  /** Share of requests that take half a second more. */
  readonly slowShare: number;
}

const CALM: Shape = {
  seconds: 600,
  requestsPerSecond: 20,
  slowdown: () => 1,
  failing: () => 0.002,
  slowShare: 0,
};

/** Log-normal response times around 50 ms, as services have them. */
function samplesOf(shape: Partial<Shape>, seed: number): LabelledSample[] {
  const { seconds, requestsPerSecond, slowdown, failing, slowShare } = { ...CALM, ...shape };
  const random = seededRandom(seed);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return Array.from({ length: seconds * requestsPerSecond }, (_, index) => {
    const second = Math.floor(index / requestsPerSecond);
    const label = LABELS[Math.floor(random() * LABELS.length)] as string;
    const own = 50_000 * Math.exp(0.6 * normal()) * slowdown(second, label);
    const late = random() < slowShare ? 500_000 : 0;
    return {
      label,
      second: START + second,
      elapsedMicros: Math.round(own + late),
      receivedBytes: 100,
      failed: random() < failing(second, label),
    };
  });
}

async function storeWith(samples: readonly LabelledSample[]) {
  const store = await memoryStoreWith(batchOf(samples));
  return store;
}

async function findingsOf(shape: Partial<Shape>, seed = 1) {
  const store = await storeWith(samplesOf(shape, seed));
  const query = { loadTestId: "run", selection: ALL_ENDPOINTS, range: undefined };
  return readFindings(store.points, query);
}

const SEEDS = Array.from({ length: 10 }, (_, seed) => seed);

test.each(SEEDS)("finds nothing in unchanged data (%d)", async (seed) => {
  expect(anomaliesOf((await findingsOf({}, seed)).incidents)).toEqual([]);
});

test.each(SEEDS)("a 95th percentile between two humps is not a step (%d)", async (seed) => {
  expect(firstOf(await findingsOf({ slowShare: 0.05 }, seed), "step")).toBeUndefined();
});

test("a slow rise is not a step", async () => {
  expect(
    firstOf(await findingsOf({ slowdown: (second) => 1 + second / 200 }), "step"),
  ).toBeUndefined();
});

test.each(SEEDS)("a few bad seconds are not a step (%d)", async (seed) => {
  const slowdown = (second: number) => ((second * (seed + 7)) % 41 === 0 ? 12 : 1);
  expect(firstOf(await findingsOf({ slowdown }, seed), "step")).toBeUndefined();
});

test.each(SEEDS)("ten consecutive bad seconds are found, with their end (%d)", async (seed) => {
  const shape = { slowdown: (second: number) => (second >= 300 && second < 310 ? 12 : 1) };
  expect(anomaliesOf((await findingsOf(shape, seed)).incidents)).toMatchObject([
    { kind: "step", at: START + 300, backAt: START + 310 },
  ]);
});

test.each(SEEDS)("a wave is not a step (%d)", async (seed) => {
  const slowdown = (second: number) => Math.exp(0.5 * Math.sin(seed + second / 90));
  expect(firstOf(await findingsOf({ slowdown }, seed), "step")).toBeUndefined();
});

test.each([
  [1, 1.8],
  [2, 3],
  [3, 10],
])(
  "a step of one endpoint is found, with its place and its end (%d, %d times)",
  async (seed, factor) => {
    const slowdown = (second: number, label: string) =>
      label === "search" && second >= 240 && second < 420 ? factor * 2 : 1;
    const step = firstOf(await findingsOf({ slowdown }, seed), "step");
    expect(step?.endpoints.map(({ label }) => label)).toEqual(["search"]);
    expect(Math.abs((step?.at ?? 0) - START - 240)).toBeLessThanOrEqual(5);
    expect(Math.abs((step?.backAt ?? 0) - START - 420)).toBeLessThanOrEqual(5);
  },
);

test.each([1, 2, 3])("a step of 2.2 times is found in 3 requests a second (%d)", async (seed) => {
  const run = {
    seconds: 1200,
    requestsPerSecond: 3,
    slowdown: (second: number) => (second >= 400 && second < 1000 ? 2.2 : 1),
  };
  const step = firstOf(await findingsOf(run, seed), "step");
  expect(Math.abs((step?.at ?? 0) - START - 400)).toBeLessThanOrEqual(10);
  expect(Math.abs((step?.backAt ?? 0) - START - 1000)).toBeLessThanOrEqual(10);
});

function twiceSlower(second: number): number {
  return (second >= 200 ? 2 : 1) * (second >= 400 && second < 410 ? 20 : 1);
}

test("slow seconds after a lasting step are found, too", async () => {
  const anomalies = anomaliesOf((await findingsOf({ slowdown: twiceSlower })).incidents);
  expect(anomalies).toMatchObject([
    { kind: "step" },
    { kind: "step", at: START + 400, backAt: START + 410 },
  ]);
});

function slowerAndSlower(second: number): number {
  return Math.exp((second / 600) * Math.log(2)) * (second >= 300 && second < 305 ? 8 : 1);
}

test("a slow rise is found in spite of slow seconds", async () => {
  const anomalies = anomaliesOf((await findingsOf({ slowdown: slowerAndSlower })).incidents);
  expect(anomalies.map(({ kind }) => kind)).toEqual(["drift", "step"]);
});

test("a lasting step of all endpoints has no end", async () => {
  const found = await findingsOf({ slowdown: (second) => (second >= 400 ? 2 : 1) });
  // The last second of the run.
  expect(found.incidents).toMatchObject([{ until: START + 599 }]);
  const step = firstOf(found, "step");
  expect(step?.endpoints).toHaveLength(4);
  expect(step?.backAt).toBeUndefined();
  // 50 ms x e^(0.6 x 1.645) is 134 ms.
  expect(step?.p95Before).toBeGreaterThan(0.12);
  expect(step?.p95Before).toBeLessThan(0.15);
  expect((step?.p95After ?? 0) / (step?.p95Before ?? 1)).toBeCloseTo(2, 0);
});

function payFails(second: number, label: string): number {
  return label === "pay" && second >= 200 && second < 230 ? 0.5 : 0.0005;
}

test("bursts of failures are found; constant failures are not", async () => {
  const burst = firstOf(await findingsOf({ failing: payFails }), "burst");
  expect(burst?.endpoints[0]?.label).toBe("pay");
  expect(burst?.from).toBeGreaterThanOrEqual(START + 200);
  expect(burst?.until).toBeLessThan(START + 230);
  expect(firstOf(await findingsOf({ failing: () => 0.05 }), "burst")).toBeUndefined();
});

function failsQuickly(second: number): number {
  return second >= 212 && second < 290 ? 0.9 : 0;
}

test.each([
  ["the run ends in a burst of failures", 290, 290, undefined],
  ["it lasts to the end of the run", 400, 400, undefined],
  ["it lasts longer than the burst", 600, 450, 450],
  ["it is over after the burst", 400, 290, 210],
])("the end of a step at which requests fail, where %s", async (_, seconds, until, backAt) => {
  const slowdown = (second: number) => {
    if (second < 210) return second < 120 ? 1 : 3;
    return second < 290 || second >= until ? 1 : 2.5;
  };
  const found = await findingsOf({ seconds, slowdown, failing: failsQuickly });
  expect(firstOf(found, "burst")?.from).toBe(START + 212);
  const step = firstOf(found, "step");
  expect(Math.abs((step?.at ?? 0) - START - 120)).toBeLessThanOrEqual(5);
  // To within 5 s.
  expect(step?.backAt && Math.round((step.backAt - START) / 10) * 10).toBe(backAt);
});

test("a few random failures are not a burst, nor are those at peak load", async () => {
  const few = await findingsOf({ failing: (second) => (second === 100 ? 0.3 : 0) });
  expect(few.incidents).toEqual([]);
  const crowd = samplesOf({ seconds: 5, requestsPerSecond: 2000, failing: () => 0.05 }, 1);
  const store = await memoryStoreWith(
    batchOf([...crowd, ...samplesOf({ failing: () => 0.05 }, 2)]),
  );
  const query = { loadTestId: "run", selection: ALL_ENDPOINTS, range: undefined };
  expect(anomaliesOf((await readFindings(store.points, query)).incidents)).toEqual([]);
});

test("a burst in a source of windows lasts until the end of its last window", async () => {
  const windows = Array.from({ length: 60 }, (_, index) => ({
    ...sample("a", START + 10 * index),
    failed: false,
  }));
  const failing = Array.from({ length: 20 }, (_, index) => ({
    ...sample("a", START + 200 + 10 * (index % 2)),
    failed: true,
  }));
  const { labels, points } = batchOf([...windows, ...failing]);
  const windowSeconds = new Uint16Array(points.second.length).fill(10);
  const store = await memoryStoreWith({
    ...batchOf([]),
    labels,
    points: { ...points, windowSeconds },
  });
  const query = { loadTestId: "run", selection: ALL_ENDPOINTS, range: undefined };
  const burst = firstOf(await readFindings(store.points, query), "burst");
  expect(burst).toMatchObject({ from: START + 200, until: START + 219, errCount: 20 });
});

test("a run ends with its last window, also where a shorter one begins later", async () => {
  const failing = Array.from({ length: 60 }, (_, index) => ({
    ...sample("a", START + 10 * index),
    failed: true,
  }));
  const batch = batchOf(failing);
  const windowSeconds = new Uint16Array(batch.points.second.length).fill(10);
  const store = await memoryStoreWith({ ...batch, points: { ...batch.points, windowSeconds } });
  const later = [{ ...sample("a", START + 593), failed: true }];
  await store.points.append(batchOf(later, { sourceId: "other" }));
  const query = { loadTestId: "run", selection: ALL_ENDPOINTS, range: undefined };
  const found = firstOf(await readFindings(store.points, query), "failing");
  expect(found).toMatchObject({ from: START, until: START + 599 });
});

test("an empty run has no findings", async () => {
  const store = await memoryStoreWith();
  const query = { loadTestId: "run", selection: ALL_ENDPOINTS, range: undefined };
  expect(anomaliesOf((await readFindings(store.points, query)).incidents)).toEqual([]);
});

function upAndDown(second: number): number {
  return Math.floor(second / 150) % 2 === 1 ? 3 : 1;
}

test("yields to other work while it looks for a step in many places", async () => {
  const samples = samplesOf({ seconds: 7200, requestsPerSecond: 60, slowdown: upAndDown }, 1);
  const store = await storeWith(samples.map((each) => ({ ...each, label: "home" })));
  const query = { loadTestId: "run", selection: ALL_ENDPOINTS, range: undefined };
  // Each look at the clock takes a millisecond, so that a turn is due after five of some 2,000 places on any machine.
  let nowMs = performance.now();
  const clock = vi.spyOn(performance, "now").mockImplementation(() => (nowMs += 1));
  onTestFinished(() => clock.mockRestore());
  const turns = await turnsDuring(() => readFindings(store.points, query));
  expect(turns).toBeGreaterThan(200);
});

function alsoLate(second: number, label: string): number {
  if (label === "pay") return 1;
  return second >= 400 && second < 420 ? 0.8 : 0.002;
}

test("beside an endpoint that fails throughout, nothing behind the selected seconds is a burst", async () => {
  const store = await storeWith(samplesOf({ failing: alsoLate }, 1));
  const inRange = async (until: number) => {
    const range = { from: START, until: START + until };
    const query = { loadTestId: "run", selection: ALL_ENDPOINTS, range };
    const anomalies = anomaliesOf((await readFindings(store.points, query)).incidents);
    return anomalies.map(({ kind }) => kind);
  };
  expect(await inRange(300)).toEqual(["failing"]);
  expect(await inRange(600)).toEqual(["failing", "burst"]);
});

test("a request of a wrong clock, decades before, takes no time", async () => {
  const samples = samplesOf({}, 1).concat(sample("home", 1000));
  const store = await storeWith(samples);
  const query = { loadTestId: "run", selection: ALL_ENDPOINTS, range: undefined };
  const before = performance.now();
  expect(anomaliesOf((await readFindings(store.points, query)).incidents)).toEqual([]);
  expect(performance.now() - before).toBeLessThan(5000);
});
