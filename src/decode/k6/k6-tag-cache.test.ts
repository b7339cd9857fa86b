import { expect, test } from "vitest";
import { K6TagCache, type K6RequestTags } from "./k6-tag-cache.ts";

const TAGS: K6RequestTags = {
  label: 0,
  failed: false,
  isMarked: false,
  status: 200,
  errorCode: "",
  error: "",
};

/** Adds `learned` tags of `length` bytes and returns how many are cached afterwards. */
function knownAfter(learned: number, length: number): number {
  const known = new K6TagCache();
  const bytes = Buffer.alloc(length + 3);
  let found = 0;
  for (const isLearning of [true, false]) {
    for (let each = 0; each < learned; each++) {
      bytes.writeUInt32LE(each, 0);
      if (known.at(bytes, 0, length) !== undefined) found += 1;
      else if (isLearning) known.learn(bytes, [0, length], TAGS);
    }
  }
  return found;
}

test("20,000 tags are all cached", () => {
  expect(knownAfter(20_000, 300)).toBe(20_000);
});

test.each([
  ["short", 150_000, 6],
  ["long", 300, 100_000],
])("the cache of %s tags that never repeat is bounded", (_what, learned, length) => {
  const known = knownAfter(learned, length);
  expect(known).toBeGreaterThan(0);
  expect(known).toBeLessThan(learned / 2);
});

test("lookups pause after many unique tags and resume when tags repeat", () => {
  const known = new K6TagCache();
  const bytes = Buffer.alloc(300);
  const lookUp = (tags: number): "rests" | "known" | "new" => {
    bytes.writeUInt32LE(tags, 0);
    if (known.isResting()) return "rests";
    if (known.at(bytes, 0, 250) !== undefined) return "known";
    known.learn(bytes, [0, 250], TAGS);
    return "new";
  };
  const distinct = Array.from({ length: 500_000 }, (_, tags) => lookUp(tags));
  expect(distinct.filter((what) => what === "new").length).toBeLessThan(100_000);
  expect(distinct.filter((what) => what === "known")).toEqual([]);

  const repeated = Array.from({ length: 1_500_000 }, (_, request) => lookUp(request % 100));
  expect(repeated.filter((what) => what === "known").length).toBeGreaterThan(400_000);
  expect(lookUp(7)).toBe("known");
});
