import type { LoadTestComparison } from "../../api/compare.ts";
import { expect, test } from "vitest";
import { seededRandom } from "../../../bench/seeded-random.ts";
import { compareSamples } from "../../../test/accuracy/compared-samples.ts";
import { type LabelledSample, sample } from "../../../test/support/batches.ts";

const START = 1_700_000_000;

/** Requests of one endpoint, evenly over five minutes, 20 to 30 ms each. */
function requestsOf(label: string, count: number, seed: number): LabelledSample[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, (_, index) =>
    sample(
      label,
      START + Math.floor((index * 300) / count),
      Math.round(20_000 + random() * 10_000),
    ),
  );
}

function verdicts({ endpoints }: LoadTestComparison) {
  return endpoints.map(({ label, verdict }) => [label, verdict]);
}

const slower = (samples: readonly LabelledSample[], factor: number) =>
  samples.map((each) => ({ ...each, elapsedMicros: Math.round(each.elapsedMicros * factor) }));

test("every endpoint of either run has a verdict, worst first", async () => {
  const base = ["a", "b", "c", "d", "old"].flatMap((label, seed) =>
    requestsOf(label, 600, seed + 1),
  );
  const later = [
    ...requestsOf("a", 600, 11),
    ...slower(requestsOf("b", 600, 12), 1.2),
    ...slower(requestsOf("c", 600, 13), 0.8),
    ...slower(requestsOf("d", 600, 14), 1.5),
    ...requestsOf("young", 600, 15),
    ...requestsOf("few", 49, 16),
  ];
  expect(verdicts(await compareSamples([...base, ...requestsOf("few", 600, 17)], later))).toEqual([
    ["d", "slower"],
    ["b", "slower"],
    ["a", "unchanged"],
    ["c", "faster"],
    ["few", "tooFew"],
    ["old", "gone"],
    ["young", "new"],
  ]);
});

test("the change and its limits come with the figures of both runs", async () => {
  const fast = requestsOf("a", 600, 1);
  const { overall, endpoints } = await compareSamples(fast, slower(requestsOf("a", 600, 2), 2));
  expect(endpoints).toEqual([{ ...overall, label: "a", hash: expect.stringMatching(/^86f7/) }]);
  expect(overall.count).toEqual({ base: 600, value: 600 });
  const average = fast.reduce((sum, { elapsedMicros }) => sum + elapsedMicros, 0) / 600 / 1e6;
  const { base, change = 0, low = 0, high = 0, isSignificant } = overall.avgLoadTime;
  expect(base).toBeCloseTo(average, 6);
  expect(change).toBeCloseTo(1, 1);
  expect(isSignificant).toBe(true);
  expect([low, change, high]).toEqual([low, change, high].toSorted((a, b) => a - b));
  expect(overall.errRate).toMatchObject({ base: 0, value: 0, change: 0, isSignificant: false });
});

test("a certain but small change is not reported", async () => {
  const samples = requestsOf("a", 6000, 1);
  const { overall } = await compareSamples(samples, slower(samples, 1.03));
  expect(overall.avgLoadTime).toMatchObject({ isSignificant: true });
  expect(overall.verdict).toBe("unchanged");
});

test("a change of all requests is reported as a shift, which one outlier does not affect", async () => {
  const base = requestsOf("a", 3000, 1);
  const later = [...slower(base, 1.1), sample("a", START + 9, 3_600_000_000)];
  const { overall, endpoints } = await compareSamples(base, later);
  expect(overall.shift.change).toBeCloseTo(0.1, 2);
  expect(overall.shift.low).toBeCloseTo(endpoints[0]?.shift.low ?? 0, 12);
  expect(overall.shift.isSignificant).toBe(true);
  expect(overall.avgLoadTime).toMatchObject({ isSignificant: false });
  expect(overall.avgLoadTime.change).toBeGreaterThan(10);
  expect(overall.verdict).toBe("slower");
});

test("more requests of a slow endpoint make the overall figures slower but are not a shift", async () => {
  const { overall, endpoints } = await compareSamples(
    [...requestsOf("fast", 3000, 1), ...slower(requestsOf("slow", 1000, 2), 5)],
    [...requestsOf("fast", 3000, 3), ...slower(requestsOf("slow", 3000, 4), 5)],
  );
  expect(overall.avgLoadTime).toMatchObject({ isSignificant: true });
  expect(overall.shift).toMatchObject({ isSignificant: false });
  expect(Math.abs(overall.shift.change ?? 1)).toBeLessThan(0.01);
  expect(endpoints.map(({ verdict }) => verdict)).toEqual(["unchanged", "unchanged"]);
});

test("the more a block resembles the previous one, the wider the limits", async () => {
  // The same thirty blocks of 10 s, half of them slower by a fifth: every other one, or three in a row.
  const requests = requestsOf("a", 3000, 1);
  const widthWhere = async (isSlow: (block: number) => boolean) => {
    const later = requests.flatMap((each) =>
      slower([each], isSlow(Math.floor((each.second - START) / 10)) ? 1.2 : 1),
    );
    const { low = 0, high = 0 } = (await compareSamples(requests, later)).overall.shift;
    return high - low;
  };
  const alternating = await widthWhere((block) => block % 2 === 0);
  expect(await widthWhere((block) => block % 6 >= 3)).toBeGreaterThan(1.5 * alternating);
});

test.each([
  { name: "from its middle on", isSlow: (block: number) => block >= 15 },
  { name: "for a third of the time", isSlow: (block: number) => block >= 17 && block < 27 },
])("response times that are twice as long $name are not noise", async ({ isSlow }) => {
  const base = requestsOf("a", 3000, 1);
  const later = requestsOf("a", 3000, 2).flatMap((each) =>
    slower([each], isSlow(Math.floor((each.second - START) / 10)) ? 2 : 1),
  );
  expect((await compareSamples(base, later)).overall).toMatchObject({
    verdict: "slower",
    shift: { isSignificant: true },
    p95: { isSignificant: true },
  });
  expect((await compareSamples(later, base)).overall.verdict).toBe("faster");
});

test("failures above noise are reported, whichever the endpoint", async () => {
  const failing = requestsOf("z", 600, 2).map((each, index) => ({
    ...each,
    failed: index % 8 === 0,
  }));
  const { endpoints } = await compareSamples(
    ["a", "z"].flatMap((label) => requestsOf(label, 600, 1)),
    [...requestsOf("a", 600, 3), ...failing],
  );
  expect(endpoints).toMatchObject([
    { label: "z", errRate: { change: 0.125, isSignificant: true } },
    { label: "a", errRate: { change: 0, isSignificant: false } },
  ]);
});

test("in one bad block, slow response times are noise, but a burst of failures is not", async () => {
  const base = requestsOf("a", 3000, 1);
  const later = requestsOf("a", 3000, 2).map((each) =>
    each.second < START + 20
      ? { ...each, elapsedMicros: each.elapsedMicros * 4, failed: true }
      : each,
  );
  const { overall } = await compareSamples(base, later);
  expect(overall.avgLoadTime.change).toBeGreaterThan(0.1);
  expect(overall).toMatchObject({ verdict: "inconclusive", errRate: { isSignificant: true } });
  const steady = await compareSamples(base, later, { skipStartSeconds: 20 });
  expect(steady.overall.count).toEqual({ base: 2800, value: 2800 });
  expect(steady.overall.errRate.value).toBe(0);
});

test("the end of both runs is left out, whichever endpoint it is of", async () => {
  const base = [...requestsOf("a", 600, 1), sample("b", START + 319)];
  const part = { selection: { by: "filter", filter: "a" }, skipEndSeconds: 30 } as const;
  const { overall } = await compareSamples(base, requestsOf("a", 600, 2), part);
  // 2 requests a second for 300 s: the base ends 20 s later.
  expect(overall.count).toEqual({ base: 580, value: 540 });
});

test("requests without a known instant are compared without a verdict", async () => {
  const timeless = requestsOf("a", 600, 1).map((each) => ({ ...each, second: 0 }));
  const { overall } = await compareSamples(timeless, slower(timeless, 2));
  expect(overall).toMatchObject({ verdict: "tooShort", count: { base: 600, value: 600 } });
  expect(overall.avgLoadTime.change).toBeCloseTo(1, 3);
});

/** Requests in each of these seconds, 20 to 30 ms each. */
function requestsIn(seconds: readonly number[], each: number, seed: number): LabelledSample[] {
  const random = seededRandom(seed);
  return seconds.flatMap((second) =>
    Array.from({ length: each }, () =>
      sample("a", START + second, Math.round(20_000 + random() * 10_000)),
    ),
  );
}

const secondsUntil = (end: number): number[] => Array.from({ length: end }, (_, second) => second);

test.each([
  { name: "49 requests in 49 s", seconds: secondsUntil(49), each: 1, verdict: "tooFew" },
  { name: "50 requests in 50 s", seconds: secondsUntil(50), each: 1, verdict: "inconclusive" },
  { name: "29,000 requests in 29 s", seconds: secondsUntil(29), each: 1000, verdict: "tooShort" },
  { name: "30,000 requests in 30 s", seconds: secondsUntil(30), each: 1000, verdict: "unchanged" },
  {
    name: "20,000 requests in two bursts, days apart",
    seconds: [...secondsUntil(10), ...secondsUntil(10).map((second) => second + 200_000)],
    each: 1000,
    verdict: "tooShort",
  },
])("$name, twice alike, are $verdict", async ({ seconds, each, verdict }) => {
  const [base, later] = [requestsIn(seconds, each, 1), requestsIn(seconds, each, 2)];
  expect((await compareSamples(base, later)).overall.verdict).toBe(verdict);
});

// The average of all logarithms grows as the factor says, and 3,000 requests tell it within 0.6 %.
test.each([
  [1, "unchanged"],
  [1.02, "unchanged"],
  [0.98, "unchanged"],
  [1.04, "unchanged"],
  [0.96, "unchanged"],
  [1.06, "slower"],
  [0.94, "faster"],
])("of all requests times %d the verdict is %s", async (factor, verdict) => {
  const base = requestsOf("a", 3000, 1);
  const later = slower(requestsOf("a", 3000, 2), factor);
  expect((await compareSamples(base, later)).overall.verdict).toBe(verdict);
});

test("compares only the selected endpoints in the selected seconds", async () => {
  const samples = ["a", "b"].flatMap((label) => requestsOf(label, 600, 1));
  const { endpoints } = await compareSamples(samples, samples, {
    selection: { by: "filter", filter: "a" },
    range: { from: START, until: START + 150 },
  });
  expect(endpoints).toMatchObject([{ label: "a", count: { base: 300, value: 300 } }]);
});

test("comparing two empty runs gives an empty comparison", async () => {
  const none = await compareSamples([sample("a", START)], [sample("a", START)], {
    skipStartSeconds: 9,
  });
  expect(none).toMatchObject({ endpoints: [], overall: { count: { base: 0, value: 0 } } });
});

test.each([1, 2, 3, 4, 5])("swapping the runs reverses the comparison (%d)", async (seed) => {
  const base = requestsOf("a", 3000 * seed, seed);
  const later = slower(requestsOf("a", 4000, seed + 50), 0.9 + seed / 10).map((each, index) => ({
    ...each,
    failed: index % (seed * 9) === 0,
  }));
  const { overall } = await compareSamples(base, later);
  const { overall: reversed } = await compareSamples(later, base);
  for (const figure of ["shift", "avgLoadTime", "p50", "p95", "p99"] as const) {
    const [{ low = 0, high = 0 }, back] = [overall[figure], reversed[figure]];
    expect(back.low).toBeCloseTo(1 / (1 + high) - 1, 9);
    expect(back.high).toBeCloseTo(1 / (1 + low) - 1, 9);
    expect(back.isSignificant).toBe(overall[figure].isSignificant);
  }
  expect(reversed.errRate.low).toBeCloseTo(-(overall.errRate.high ?? 0), 9);
  expect(reversed.errRate.high).toBeCloseTo(-(overall.errRate.low ?? 0), 9);
});

test("the same request gives the same result", async () => {
  const [base, later] = [requestsOf("a", 600, 1), requestsOf("a", 600, 2)];
  expect(await compareSamples(base, later)).toEqual(await compareSamples(base, later));
});

function lasting(seconds: number): LabelledSample[] {
  return Array.from({ length: seconds }, (_, at) => sample("a", START + at, 1000));
}

test.each([
  [450, {}, []],
  [451, {}, ["lengths-differ"]],
  [451, { skipStartSeconds: 10 }, []],
])("300 s against %d s with %j is remarked as %j", async (seconds, part, codes) => {
  for (const [base, later] of [
    [300, seconds],
    [seconds, 300],
  ] as const) {
    const { quality } = await compareSamples(lasting(base), lasting(later), part);
    expect(quality.value.map(({ code }) => code)).toEqual(codes);
  }
});
