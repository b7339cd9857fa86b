import { expect, test } from "vitest";
import { liveBlocks } from "../../../../test/support/live-blocks.ts";
import type { LiveBlock } from "../blocks/block-rows.ts";
import { encodeEndpointSet } from "../../block/endpoint-set.ts";
import { planCompaction } from "./compaction-plan.ts";

const going = { runsCompacted: 3, isEnded: false };
const ended = { runsCompacted: 3, isEnded: true };

/** Of 4 endpoints with 10 rows each. */
function blocks(...about: readonly Partial<LiveBlock>[]): LiveBlock[] {
  return liveBlocks(about);
}

function numbersOf(plan: ReturnType<typeof planCompaction>): unknown {
  return plan?.blocks.map(({ number }) => number);
}

test("groups of a level are merged once there are enough, oldest first", () => {
  expect(planCompaction(blocks({}, {}), going)).toBeUndefined();
  const plan = planCompaction(blocks({}, {}, {}, {}), going);
  expect(plan).toMatchObject({ kind: "points", level: 1, arrangement: "mixed" });
  expect(numbersOf(plan)).toEqual([1, 2, 3]);
});

test("blocks created together count as one and are merged together", () => {
  const runs = blocks({ shown_from: 5 }, { shown_from: 5 }, { shown_from: 5 }, { shown_from: 6 });
  expect(planCompaction(runs, going)).toBeUndefined();
  expect(numbersOf(planCompaction([...runs, ...blocks({ shown_from: 7 })], going))).toEqual([
    1, 2, 3, 4, 1,
  ]);
});

test("levels and kinds are not mixed, and the lowest level goes first", () => {
  const users = { kind: "users", endpoints: new Uint8Array(0) } as const;
  const mixed = blocks({ level: 1 }, {}, { level: 1 }, users, users, {}, { level: 1 });
  expect(numbersOf(planCompaction(mixed, going))).toEqual([1, 3, 7]);
  const lower = [...mixed, ...blocks({ shown_from: 99 })];
  expect(numbersOf(planCompaction(lower, going))).toEqual([2, 6, 1]);
});

test.each([
  ["many rows of an endpoint", { points: 4 * 43 }, undefined],
  ["few rows of an endpoint", { points: 4 * 42 }, 1],
  [
    "many rows of many endpoints",
    { points: 4000, endpoints: encodeEndpointSet([...Array(400).keys()]) },
    1,
  ],
  ["the last level", { level: 1 }, undefined],
])("the merge of %s is final or gets a level", (_, about, level) => {
  const plan = planCompaction(blocks(about, about, about), going);
  expect(plan?.level).toBe(level);
  expect(plan?.arrangement).toBe(level === undefined ? "grouped" : "mixed");
});

test("the remaining blocks of an ended source are merged, whatever their level", () => {
  const left = blocks({ level: 2 }, { level: 1 }, {});
  expect(planCompaction(left, going)).toBeUndefined();
  const plan = planCompaction(left, ended);
  expect(plan).toMatchObject({ level: undefined, arrangement: "grouped" });
  expect(numbersOf(plan)).toEqual([1, 2, 3]);
  expect(planCompaction(blocks({}), ended)).toBeUndefined();
  expect(planCompaction([], ended)).toBeUndefined();
});

test("full levels are merged before the rest, which bounds each merge", () => {
  const many = blocks({}, {}, {}, {}, { level: 1 });
  expect(numbersOf(planCompaction(many, ended))).toEqual([1, 2, 3]);
});

test.each([
  ["20,000 points", 26, 20_000, undefined],
  ["20,000 points", 30, 20_000, 27],
  ["100,000 points", 19, 100_000, undefined],
  ["100,000 points", 30, 100_000, 20],
  ["4,096 points", 128, 4096, 128],
  ["4,096 points", 127, 4096, undefined],
])("runs of %s: of %i, as many are merged as have 2^19 points", (_, runs, points, merged) => {
  const own = blocks(...Array.from({ length: runs }, () => ({ points })));
  const plan = planCompaction(own, { runsCompacted: 128, isEnded: false });
  expect(plan?.blocks.length).toBe(merged);
});

test("the points of all blocks of a run count", () => {
  const halves = [...Array(54).keys()].map((at) => ({ points: 10_000, shown_from: at >> 1 }));
  const options = { runsCompacted: 128, isEnded: false };
  expect(planCompaction(blocks(...halves), options)?.blocks.length).toBe(54);
  expect(planCompaction(blocks(...halves.slice(2)), options)).toBeUndefined();
});
