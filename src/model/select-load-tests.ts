import { compareLabels } from "./label.ts";
import type { LoadTestPlace, LoadTestQuery, LoadTestSummary } from "./load-test.ts";

/** Where a load test stands in the list. It moves with its first second. */
export function placeOf({ id, from, createdAtMs }: LoadTestSummary): LoadTestPlace {
  return { id, startedAtMs: from === undefined ? createdAtMs : from * 1000 };
}

/** Negative where `left` stands before `right` in the list: latest start first, equal ones by id. */
export function comparePlaces(left: LoadTestPlace, right: LoadTestPlace): number {
  return right.startedAtMs - left.startedAtMs || compareLabels(left.id, right.id);
}

/** Whether a load test is one that `query` looks for, its limit aside. */
export function isWanted(
  loadTest: LoadTestSummary,
  { search, tag, after }: LoadTestQuery,
): boolean {
  if (after !== undefined && comparePlaces(placeOf(loadTest), after) <= 0) return false;
  if (tag !== undefined && !loadTest.tags.includes(tag)) return false;
  if (search === undefined) return true;
  const wanted = search.toLowerCase();
  const { id, name, tags, formats } = loadTest;
  return [id, name, ...tags, ...formats].some((text) => text.toLowerCase().includes(wanted));
}
