import { expect, test } from "vitest";
import { shownTags } from "./tag-filter.tsx";

const ALL = Array.from({ length: 14 }, (_, index) => ({ tag: `t${index}`, loadTests: 20 - index }));

test.each([
  ["nothing chosen", undefined, false, 12, 2, "t11"],
  ["a frequent one chosen", "t3", false, 12, 2, "t11"],
  ["a rare one chosen", "t13", false, 13, 1, "t13"],
  ["one chosen that no load test has", "gone", false, 13, 2, "gone"],
  ["all wanted", "t13", true, 14, 0, "t13"],
])("%s: the first twelve tags, the chosen one, and how many more", (...row) => {
  const [, chosen, isAll, length, more, last] = row;
  const shown = shownTags(ALL, chosen, isAll);
  expect([shown.tags.length, shown.more, shown.tags.at(-1)?.tag]).toEqual([length, more, last]);
});
