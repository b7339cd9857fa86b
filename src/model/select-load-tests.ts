import { compareLabels } from "./label.ts";
import type { LoadTest, LoadTestPlace, LoadTestQuery } from "./load-test.ts";

/** Negative where `left` stands before `right` in the list: newest first, equal times by id. */
export function compareLoadTests(left: LoadTestPlace, right: LoadTestPlace): number {
  return right.createdAtMs - left.createdAtMs || compareLabels(left.id, right.id);
}

/** Whether a load test is one that `query` looks for, its limit aside. */
export function isWanted(loadTest: LoadTest, { search, tag, after }: LoadTestQuery): boolean {
  if (after !== undefined && compareLoadTests(loadTest, after) <= 0) return false;
  if (tag !== undefined && !loadTest.tags.includes(tag)) return false;
  if (search === undefined) return true;
  const wanted = search.toLowerCase();
  return [loadTest.id, loadTest.name, ...loadTest.tags].some((text) =>
    text.toLowerCase().includes(wanted),
  );
}
