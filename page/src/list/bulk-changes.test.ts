import { expect, test } from "vitest";
import type { LoadTest } from "../api/load-tests.ts";
import { changesOfEach } from "./bulk-changes.ts";

const run = (id: string, tags: readonly string[], pinned = false) =>
  ({ id, tags, pinned }) as unknown as LoadTest;

const RUNS = [run("a", ["eu", "nightly"]), run("b", ["eu"], true), run("c", [])];

test.each([
  [{}, []],
  [{ addTags: " nightly,, nightly" }, ["b +nightly", "c +nightly"]],
  [{ removeTags: "eu, nightly" }, ["a −eu, −nightly", "b −eu"]],
  [{ pinned: true }, ["a pin", "c pin"]],
  [{ pinned: false, addTags: "x" }, ["a +x", "b +x, unpin", "c +x"]],
])("%j applies only to runs that it changes", (wanted, expected) => {
  const plan = changesOfEach(RUNS, { addTags: "", removeTags: "", pinned: undefined, ...wanted });
  expect(plan.map(({ run: { id }, words }) => `${id} ${words}`)).toEqual(expected);
});

test("only what changes is sent", () => {
  const [first] = changesOfEach(RUNS, { addTags: "eu,x", removeTags: "y", pinned: false });
  expect(first?.changes).toEqual({ addTags: ["x"], removeTags: [] });
});
