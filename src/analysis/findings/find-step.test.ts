import { expect, test } from "vitest";
import { batchOf, type LabelledSample, sample } from "../../../test/support/batches.ts";
import { CountTable } from "../../series/count-table.ts";
import { AT_A_STEP, findSteps, isSlower, largestStep } from "./find-step.ts";

const START = 1_700_000_000;
/** The second examined for a step, with two minutes before and after it. */
const AT = 120;

interface Shape {
  /** Requests in a second. */
  readonly requests: (second: number) => number;
  /** Factor on response times. */
  readonly factor: (second: number) => number;
  /** Of a hundred requests, those that take ten times as long. */
  readonly slowOfHundred: (second: number) => number;
}

const PLAIN: Shape = {
  requests: () => 10,
  factor: (second) => (second < AT ? 1 : 3),
  slowOfHundred: () => 0,
};

/** Response times from 40 to 60 ms, the same again and again. */
function samplesOf(given: Partial<Shape>): LabelledSample[] {
  const { requests, factor, slowOfHundred } = { ...PLAIN, ...given };
  let number = 0;
  return Array.from({ length: 2 * AT }, (_, second) =>
    Array.from({ length: requests(second) }, () => {
      number += 1;
      const slow = number % 100 < slowOfHundred(second) ? 10 : 1;
      const micros = 40_000 + ((number * 7919) % 20_000);
      return sample("a", START + second, Math.round(micros * factor(second) * slow));
    }),
  ).flat();
}

async function isStep(given: Partial<Shape>): Promise<boolean> {
  const places = { from: START + AT, until: START + AT + 1 };
  return (await findSteps(batchOf(samplesOf(given)).points, places)).length > 0;
}

/** Response times that rise from 1 to 3 times over so many seconds. */
const rise = (seconds: number) => (second: number) =>
  3 ** Math.min(1, Math.max(0, (second - AT + seconds / 2) / seconds));

/** Three requests a second, but so many in the 15 s before the place. */
const edgeOf = (count: number) => (second: number) => {
  if (second < AT - 15 || second >= AT) return 3;
  return second < AT - 15 + (count % 15) ? Math.ceil(count / 15) : Math.floor(count / 15);
};

/** 3 times as slow after the place, but `factor` times in its first 15 s, which have few requests. */
const jump = (factor: number): Partial<Shape> => ({
  requests: (second) => (second >= AT && second < AT + 15 ? 2 : 20),
  factor: (second) => {
    if (second < AT) return 1;
    return second < AT + 15 ? factor : 3;
  },
});

/** 3 % slow requests before and 13 % after, in each minute falling by `height` points in 12 blocks. */
const sawtooth = (height: number): Partial<Shape> => ({
  requests: () => 100,
  factor: () => 1,
  slowOfHundred: (second) =>
    Math.max(0, (second < AT ? 3 : 13) + height * (0.5 - Math.floor((second % 60) / 5) / 11)),
});

test.each<[name: string, yes: Partial<Shape>, no: Partial<Shape>]>([
  [
    "a percentile 1.5 times as large",
    { factor: (second) => (second < AT ? 1 : 1.55) },
    { factor: (second) => (second < AT ? 1 : 1.45) },
  ],
  [
    "120 requests in the minute before",
    { requests: () => 2 },
    { requests: (second) => (second === AT - 30 ? 1 : 2) },
  ],
  ["25 requests in the 15 s before", { requests: edgeOf(25) }, { requests: edgeOf(24) }],
  [
    "45 s with requests in the minute before",
    { requests: (second) => (second >= AT - 45 ? 10 : 0) },
    { requests: (second) => (second >= AT - 44 ? 10 : 0) },
  ],
  [
    "a share of slow requests 1.5 times as large",
    { requests: () => 500, factor: () => 1, slowOfHundred: (second) => (second < AT ? 4 : 7) },
    { requests: () => 500, factor: () => 1, slowOfHundred: (second) => (second < AT ? 4.9 : 7) },
  ],
  ["two levels that fit far better than a rise", { factor: rise(18) }, { factor: rise(20) }],
  // p95 rises 3 times in all: the root of 3 is 1.73.
  ["half of the change within seconds", jump(1.8), jump(1.7)],
  // 10 points divided by the standard error 0.1226 x height: 6.8 and 5.8.
  ["a change six times its standard error", sawtooth(12), sawtooth(14)],
])("a step needs %s", async (_, yes, no) => {
  expect([await isStep(yes), await isStep(no)]).toEqual([true, false]);
});

// Standard errors by hand: 0.14 / 0.0438 is 3.2, 0.11 / 0.0415 is 2.7.
test.each([
  { requests: 100, slowAfter: 18, isFound: true },
  { requests: 100, slowAfter: 15, isFound: false },
  { requests: 50, slowAfter: 50, isFound: true },
  { requests: 49, slowAfter: 49, isFound: false },
])("$slowAfter slow ones of $requests, 4 before: slower is $isFound", (given) => {
  const { requests, slowAfter, isFound } = given;
  const side = (second: number, slow: number) =>
    Array.from({ length: requests }, (_, index) =>
      sample("a", START + second, index < slow ? 500_000 : 50_000),
    );
  const usual = Math.round(requests / 25);
  const { points } = batchOf([...side(0, usual), ...side(60, slowAfter)]);
  const [before, after] = [
    { from: START, until: START + 60 },
    { from: START + 60, until: START + 120 },
  ];
  expect(isSlower(new CountTable(points), before, after, AT_A_STEP)).toBe(isFound);
});

test.each([
  { ratio: 1.85, at: 2 },
  { ratio: 1.75, at: 1 },
])("beside a twofold step, the sharper one of $ratio times: $at is chosen", ({ ratio, at }) => {
  const step = { middleMicros: 1, at: 1, ratio: 2, sharpness: 0.1 };
  expect(largestStep([step, { ...step, at: 2, ratio, sharpness: 0.5 }])?.at).toBe(at);
});
