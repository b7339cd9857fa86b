import { expect, test } from "vitest";
import { changesOf } from "./row-menu.tsx";

const RUN = { name: "nightly", tags: ["eu", "main"], pinned: false };

test.each([
  [
    { name: "nightly", tags: "eu, main", pinned: false },
    { addTags: [], removeTags: [] },
  ],
  [
    { name: "weekly", tags: " main ,, release", pinned: true },
    { name: "weekly", pinned: true, addTags: ["release"], removeTags: ["eu"] },
  ],
  [
    { name: "nightly", tags: "", pinned: false },
    { addTags: [], removeTags: ["eu", "main"] },
  ],
])("of %j the changes are %j", (typed, changes) => {
  expect(changesOf(RUN, typed)).toEqual(changes);
});
