import { expect, test } from "vitest";
import { countOf } from "./list-view.tsx";

const COUNTS = { loadTests: 7, tags: [{ tag: "nightly", loadTests: 3 }] };

test.each([
  [COUNTS, undefined, 7],
  [COUNTS, "nightly", 3],
  [COUNTS, "none", 0],
  [undefined, undefined, undefined],
  [undefined, "nightly", undefined],
])("of %j, those with the tag %s are %s runs", (counts, tag, runs) => {
  expect(countOf(counts, tag)).toBe(runs);
});
