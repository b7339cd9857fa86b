import type { LoadTest } from "../model/load-test.ts";

/** Tags of load tests that were checked against the thresholds of their name when they were finished. */
export const PASSED_TAG = "thresholds-passed";
export const FAILED_TAG = "thresholds-failed";

/** `undefined` if it was not checked. */
export function verdictIn({ tags }: Pick<LoadTest, "tags">): "passed" | "failed" | undefined {
  if (tags.includes(FAILED_TAG)) return "failed";
  return tags.includes(PASSED_TAG) ? "passed" : undefined;
}
