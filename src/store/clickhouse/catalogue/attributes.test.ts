import { expect, test } from "vitest";
import { changeLoadTest, type LoadTest } from "../../../model/load-test.ts";
import {
  attributesOf,
  fieldsOfChange,
  fieldsOfNew,
  type ShardKey,
  preferenceOf,
  standingOf,
} from "./attributes.ts";

const SHARD_KEY: ShardKey = { loadTestId: "run", incarnation: 0, shard: 1, testDay: 20_000 };
const NEW = { id: "run", name: "Run", createdAtMs: 5, tags: ["b", "a"], pinned: true };
const COMPACTION = { number: "00000000000000ff", contents: "c", rows: 3, publishedAtMs: 1 };
const RUN = { ...NEW, tags: ["a", "b"], finishedAtMs: undefined };

function created(version: number, shardKey = SHARD_KEY, newLoadTest = NEW) {
  return attributesOf(shardKey, fieldsOfNew(newLoadTest, shardKey), version);
}

function changed(after: LoadTest, version: number) {
  return attributesOf(SHARD_KEY, fieldsOfChange(RUN, after), version);
}

test("an unused id has no stored load test", () => {
  expect(standingOf([])).toEqual({ stored: undefined, nextIncarnation: 0, lastVersion: 0 });
});

test("a load test is derived from its rows, in any order and with duplicates", () => {
  const attributes = created(7);
  for (const rows of [attributes, attributes.toReversed(), [...attributes, ...attributes]]) {
    expect(standingOf(rows)).toMatchObject({
      stored: { shardKey: SHARD_KEY, loadTest: RUN, compaction: undefined, compacting: undefined },
      nextIncarnation: 0,
      lastVersion: 7,
    });
  }
});

test("simultaneous changes of different fields are both kept", () => {
  const rows = created(1);
  const renamed = changeLoadTest(RUN, { name: "Other" });
  const tagged = changeLoadTest(RUN, { addedTags: ["c"], removedTags: ["a"], finishedAtMs: 9 });
  const attributes = [...rows, ...changed(renamed, 2), ...changed(tagged, 2)];
  expect(standingOf(attributes).stored?.loadTest).toEqual({
    ...RUN,
    name: "Other",
    tags: ["b", "c"],
    finishedAtMs: 9,
  });
});

test("the attributes text differs after each change, even between changes of one version", () => {
  const rows = created(1);
  const renamed = changed(changeLoadTest(RUN, { name: "Other" }), 2);
  const named = changed(changeLoadTest(RUN, { name: "Third" }), 2);
  const tagged = changed(changeLoadTest(RUN, { addedTags: ["c"] }), 2);
  const states = [
    rows,
    [...rows, ...renamed],
    [...rows, ...named],
    [...rows, ...renamed, ...tagged],
  ];
  const texts = states.map((attributes) => standingOf(attributes).stored?.attributesText);
  expect(new Set(texts).size).toBe(4);
  expect(standingOf(states[3]?.toReversed() ?? []).stored?.attributesText).toBe(texts[3]);
  const sealed = attributesOf(SHARD_KEY, { sealed: JSON.stringify(COMPACTION) }, 9);
  expect(standingOf([...rows, ...sealed]).stored?.attributesText).toBe(texts[0]);
});

test("a change to the current value writes no attribute", () => {
  expect(changed(changeLoadTest(RUN, { name: "Run" }), 2)).toEqual([]);
});

test("of two simultaneous creations, the first determines the shard key", () => {
  const other = { ...SHARD_KEY, shard: 0, testDay: 20_001 };
  const attributes = [...created(9, other), ...created(8)];
  expect(standingOf(attributes).stored?.shardKey).toEqual(SHARD_KEY);
});

test("a deleted load test is gone, and a new one with its id inherits nothing", () => {
  const first = [
    ...created(1),
    ...attributesOf(SHARD_KEY, { sealed: JSON.stringify(COMPACTION) }, 2),
    ...attributesOf(SHARD_KEY, { deleted: "1" }, 3),
  ];
  expect(standingOf(first.slice(0, -1)).stored?.compaction).toEqual(COMPACTION);
  expect(standingOf(first)).toEqual({ stored: undefined, nextIncarnation: 1, lastVersion: 3 });
  const again = { ...SHARD_KEY, incarnation: 1 };
  const { stored } = standingOf([...first, ...created(4, again, { ...NEW, tags: [] })]);
  expect(stored).toMatchObject({
    shardKey: again,
    loadTest: { ...RUN, tags: [] },
    compaction: undefined,
    compacting: undefined,
  });
});

test("a revoked deletion has no effect", () => {
  const attributes = [...created(1), ...attributesOf(SHARD_KEY, { deleted: "1" }, 2)];
  expect(
    standingOf([...attributes, ...attributesOf(SHARD_KEY, { deleted: "0" }, 3)]).stored?.loadTest,
  ).toEqual(RUN);
});

test("a late change does not restore a deleted load test", () => {
  const attributes = [...created(1), ...attributesOf(SHARD_KEY, { deleted: "1" }, 2)];
  const late = changed({ ...RUN, name: "late" }, 5);
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
