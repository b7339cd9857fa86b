import { expect, test } from "vitest";
import type { LoadTest } from "../api/load-tests.ts";
import { completions, withTerms } from "./search-terms.ts";

const RUNS = [
  { name: "checkout", environment: "staging", formats: ["k6-csv"], properties: { commit: "ab12" } },
  { name: "a b", environment: null, formats: [], properties: { commit: "cd34", branch: "main" } },
] as unknown as LoadTest[];
const KNOWN = withTerms(new Map(), RUNS, ["nightly"]);

test.each([
  ["com", ["commit:"]],
  ["commit:", ["commit:ab12", "commit:cd34"]],
  ["env:staging COMMIT:c", ["env:staging commit:cd34"]],
  ["name:", ["name:checkout", 'name:"a b"']],
  ['name:"a ', ['name:"a b"']],
  ["failed:", ["failed:yes", "failed:no"]],
  ["p9", ["p95>", "p99>"]],
  ["tag:nightly", []],
  ["x p95>5", []],
])("%j goes on as %j", (search, texts) => {
  expect(completions(search, KNOWN)).toEqual(texts);
});

test("keys of runs that are no longer listed stay known", () => {
  expect(completions("branch:", withTerms(KNOWN, [], []))).toEqual(["branch:main"]);
});
