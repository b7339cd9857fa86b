import { expect, test } from "vitest";
import { liveBlocks } from "../../../../test/support/live-blocks.ts";
import type { LiveBlock } from "../blocks/block-rows.ts";
import { encodeEndpointSet } from "../../block/endpoint-set.ts";
import { planPublished } from "./published-plan.ts";

/** Returns consecutive blocks of ten minutes, 16 endpoints and 6,000 rows, numbered from 1. */
function blocks(...about: readonly Partial<LiveBlock>[]): LiveBlock[] {
  return liveBlocks(
    about.map((each, index) => ({
      endpoint_group: 0,
      endpoints: encodeEndpointSet(Array.from({ length: 16 }, (_, number) => number)),
      points: 6000,
      first_second: 1000 + 600 * index,
      last_second: 1600 + 600 * index,
      shown_from: 7,
      ...each,
    })),
  );
}

const small = { points: 100 };
const users = { kind: "users", endpoint_group: null, endpoints: new Uint8Array(0) } as const;
const failures = {
  kind: "failures",
  endpoint_group: null,
  endpoints: encodeEndpointSet([0, 1, 2, 3]),
} as const;
/** Measures of two endpoints. */
const measures = {
  kind: "measures",
  endpoint_group: null,
  endpoints: encodeEndpointSet([0, 1]),
} as const;
const ofOthers = { ...measures, endpoints: encodeEndpointSet([2, 3]) };
const inSameTime = { first_second: 1000, last_second: 1600 };
/** As a block has no room for all. */
const firstHalf = { ...inSameTime, endpoints: encodeEndpointSet([0, 1, 2, 3, 4, 5, 6, 7]) };
const secondHalf = { ...inSameTime, endpoints: encodeEndpointSet([8, 9, 10, 11, 12, 13, 14, 15]) };

test.each<[string, LiveBlock[], number[] | undefined]>([
  ["none", blocks(), undefined],
  ["large ones after each other, with a second in common", blocks({}, {}, {}), undefined],
  ["one that is small", blocks(small), undefined],
  ["small ones", blocks(small, small, {}, small, small), [1, 2, 3, 4, 5]],
  ["few small ones", blocks(small, {}, small, small), undefined],
  ["small ones of other endpoints", blocks(small, { ...small, endpoint_group: 1 }), undefined],
  [
    "large ones side by side",
    blocks({}, { first_second: 1010, last_second: 1590 }, { endpoint_group: 1 }),
    [1, 2],
  ],
  ["large ones of other endpoints of a group", blocks(firstHalf, secondHalf), undefined],
  ["failures of few rows", blocks({ ...failures, ...small }, { ...failures, ...small }), [1, 2]],
  ["failures of many rows", blocks(failures, failures), undefined],
  ["measures after each other", blocks(measures, measures), undefined],
  ["measures of other endpoints", blocks(measures, { ...ofOthers, ...inSameTime }), undefined],
  ["measures side by side", blocks(measures, { ...measures, ...inSameTime }), [1, 2]],
  ["measures of few rows", blocks({ ...measures, ...small }, { ...ofOthers, ...small }), [1, 2]],
  ["users of few rows", blocks({ ...users, points: 10 }, { ...users, points: 10 }), [1, 2]],
])(
  "of the blocks of a published source, only the expensive ones are merged: %s",
  (_, own, wanted) => {
    const numbers = planPublished(own).map((plan) => plan.blocks.map(({ number }) => number));
    expect(numbers).toEqual(wanted === undefined ? [] : [wanted]);
  },
);

test("mixed blocks are merged into grouped ones, a limited number at a time", () => {
  const endpoints = encodeEndpointSet(Array.from({ length: 4096 }, (_, number) => number));
  const mixed = { endpoint_group: null, points: 16_384, endpoints };
  expect(planPublished(blocks(mixed))).toEqual([]);
  const plans = planPublished(blocks(...Array.from({ length: 600 }, () => mixed)));
  expect(plans.map((plan) => [plan.arrangement, plan.blocks.length])).toEqual([
    ["grouped", 256],
    ["grouped", 256],
    ["grouped", 88],
  ]);
});

test("kinds are merged one after the other, with as many groups as one write takes", () => {
  const few = { ...users, points: 10 };
  const plans = planPublished(blocks(small, few, small, few, small, small, small));
  expect(plans.map(({ kind, arrangement }) => [kind, arrangement])).toEqual([
    ["points", "grouped"],
    ["users", "grouped"],
  ]);
  const numbers = plans.map((plan) => plan.blocks.map(({ number }) => number));
  expect(numbers).toEqual([
    [1, 3, 5, 6, 7],
    [2, 4],
  ]);
  const many = blocks(
    ...Array.from({ length: 1024 }, (_, index) => ({ ...small, endpoint_group: index >> 3 })),
  );
  expect(planPublished(many).map((plan) => plan.blocks.length)).toEqual([256, 256, 256, 256]);
});

/** Returns batches of four blocks each, all with the same endpoints. */
function mixedBatches(batches: number, pointsOfAnEndpoint: number): LiveBlock[] {
  const about = Array.from({ length: 4 * batches }, (_, block) => {
    const first = 4000 * (block % 4);
    const numbers = Array.from({ length: 4000 }, (__, number) => first + number);
    const points = 4000 * pointsOfAnEndpoint;
    return { endpoint_group: null, points, endpoints: encodeEndpointSet(numbers) };
  });
  return blocks(...about);
}

test.each<[string, number, number, readonly string[]]>([
  ["few blocks of each endpoint are left as they are", 5, 1, []],
  ["many blocks of few points get endpoints of their own", 6, 2, ["mixed"]],
  ["many blocks of more points become those of groups", 6, 3, ["grouped"]],
])("mixed blocks: %s", (_, batches, points, arrangements) => {
  const plans = planPublished(mixedBatches(batches, points));
  expect(plans.map(({ arrangement }) => arrangement)).toEqual(arrangements);
});
