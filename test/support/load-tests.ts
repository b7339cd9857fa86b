import type { LoadTest } from "../../src/model/load-test.ts";

export function loadTest(id = "run", createdAtMs = 1): LoadTest {
  return {
    id,
    name: `name of ${id}`,
    createdAtMs,
    tags: [],
    pinned: false,
    finishedAtMs: undefined,
    secondsPerPoint: 1,
  };
}
