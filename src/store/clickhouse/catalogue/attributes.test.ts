import { expect, test } from "vitest";
import { changeLoadTest } from "../../../model/load-test.ts";
import {
  type Attribute,
  attributeOfDeletion,
  attributeOfCompaction,
  attributesOfChange,
  attributesOfNew,
  type ShardKey,
  preferenceOf,
  standingOf,
} from "./attributes.ts";

const SHARD_KEY: ShardKey = { loadTestId: "run", incarnation: 0, shard: 1, testDay: 20_000 };
const NEW = { id: "run", name: "Run", createdAtMs: 5, tags: ["b", "a"], pinned: true };
const RUN = { ...NEW, tags: ["a", "b"], finishedAtMs: undefined };

test("an unused id has no stored load test", () => {
  expect(standingOf([])).toEqual({ stored: undefined, nextIncarnation: 0, lastVersion: 0 });
});

test("a load test is derived from its rows, in any order and with duplicates", () => {
  const attributes = attributesOfNew(NEW, SHARD_KEY, 7);
  for (const rows of [attributes, attributes.toReversed(), [...attributes, ...attributes]]) {
    expect(standingOf(rows)).toMatchObject({
      stored: { shardKey: SHARD_KEY, loadTest: RUN, compaction: undefined, compacting: undefined },
      nextIncarnation: 0,
      lastVersion: 7,
    });
  }
});

test("simultaneous changes of different fields are both kept", () => {
  const rows = attributesOfNew(NEW, SHARD_KEY, 1);
  const renamed = changeLoadTest(RUN, { name: "Other" });
  const tagged = changeLoadTest(RUN, { addedTags: ["c"], removedTags: ["a"], finishedAtMs: 9 });
  const attributes = [
    ...rows,
    ...attributesOfChange(SHARD_KEY, RUN, renamed, 2),
    ...attributesOfChange(SHARD_KEY, RUN, tagged, 2),
  ];
  expect(standingOf(attributes).stored?.loadTest).toEqual({
    ...RUN,
    name: "Other",
    tags: ["b", "c"],
    finishedAtMs: 9,
  });
});

test("the attributes text differs after each change, even between changes of one version", () => {
  const rows = attributesOfNew(NEW, SHARD_KEY, 1);
  const renamed = attributesOfChange(SHARD_KEY, RUN, changeLoadTest(RUN, { name: "Other" }), 2);
  const named = attributesOfChange(SHARD_KEY, RUN, changeLoadTest(RUN, { name: "Third" }), 2);
  const tagged = attributesOfChange(SHARD_KEY, RUN, changeLoadTest(RUN, { addedTags: ["c"] }), 2);
  const states = [
    rows,
    [...rows, ...renamed],
    [...rows, ...named],
    [...rows, ...renamed, ...tagged],
  ];
  const texts = states.map((attributes) => standingOf(attributes).stored?.attributesText);
  expect(new Set(texts).size).toBe(4);
  expect(standingOf(states[3]?.toReversed() ?? []).stored?.attributesText).toBe(texts[3]);
  const compaction = { number: "1", contents: "c", rows: 1, publishedAtMs: 1 };
  expect(
    standingOf([...rows, attributeOfCompaction(SHARD_KEY, compaction, 9)]).stored?.attributesText,
  ).toBe(texts[0]);
});

test("a change to the current value writes no attribute", () => {
  expect(attributesOfChange(SHARD_KEY, RUN, changeLoadTest(RUN, { name: "Run" }), 2)).toEqual([]);
});

test("of two simultaneous creations, the first determines the shard key", () => {
  const other = { ...SHARD_KEY, shard: 0, testDay: 20_001 };
  const attributes = [...attributesOfNew(NEW, other, 9), ...attributesOfNew(NEW, SHARD_KEY, 8)];
  expect(standingOf(attributes).stored?.shardKey).toEqual(SHARD_KEY);
});

test("a deleted load test is gone, and a new one with its id inherits nothing", () => {
  const compaction = { number: "00000000000000ff", contents: "x", rows: 3, publishedAtMs: 1 };
  const first: Attribute[] = [
    ...attributesOfNew(NEW, SHARD_KEY, 1),
    attributeOfCompaction(SHARD_KEY, compaction, 2),
    attributeOfDeletion(SHARD_KEY, true, 3),
  ];
  expect(standingOf(first.slice(0, -1)).stored?.compaction).toEqual(compaction);
  expect(standingOf(first)).toEqual({ stored: undefined, nextIncarnation: 1, lastVersion: 3 });
  const again = { ...SHARD_KEY, incarnation: 1 };
  const { stored } = standingOf([...first, ...attributesOfNew({ ...NEW, tags: [] }, again, 4)]);
  expect(stored).toMatchObject({
    shardKey: again,
    loadTest: { ...RUN, tags: [] },
    compaction: undefined,
    compacting: undefined,
  });
});

test("a revoked deletion has no effect", () => {
  const attributes = [
    ...attributesOfNew(NEW, SHARD_KEY, 1),
    attributeOfDeletion(SHARD_KEY, true, 2),
  ];
  expect(
    standingOf([...attributes, attributeOfDeletion(SHARD_KEY, false, 3)]).stored?.loadTest,
  ).toEqual(RUN);
});

test("a late change does not restore a deleted load test", () => {
  const attributes = [
    ...attributesOfNew(NEW, SHARD_KEY, 1),
    attributeOfDeletion(SHARD_KEY, true, 2),
  ];
  const late = attributesOfChange(SHARD_KEY, RUN, { ...RUN, name: "late" }, 5);
  expect(standingOf([...attributes, ...late]).stored).toBeUndefined();
});

test("load tests are spread evenly over replicas, each always on the same", () => {
  const halves = [0, 0];
  for (let run = 0; run < 1000; run++) {
    const preference = preferenceOf({ ...SHARD_KEY, loadTestId: `nightly-${run}` });
    expect(preference).toBe(preferenceOf({ ...SHARD_KEY, loadTestId: `nightly-${run}`, shard: 0 }));
    halves[preference % 2] = (halves[preference % 2] ?? 0) + 1;
  }
  expect(Math.min(...halves)).toBeGreaterThan(400);
});
