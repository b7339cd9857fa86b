import { compareLabels } from "./label.ts";
import type { LoadTest, LoadTestChange, NewLoadTest } from "./load-test.ts";

/** A load test as it begins. */
export function beginLoadTest({ id, name, createdAtMs, tags, pinned }: NewLoadTest): LoadTest {
  return {
    id,
    name,
    createdAtMs,
    tags: distinctTags(tags ?? []),
    pinned: pinned ?? false,
    finishedAtMs: undefined,
  };
}

/** The load test after a change; the same change again changes nothing. */
export function changeLoadTest(loadTest: LoadTest, change: LoadTestChange): LoadTest {
  const removed = new Set(change.removedTags);
  const tags = [...(change.tags ?? loadTest.tags), ...(change.addedTags ?? [])];
  return {
    ...loadTest,
    name: change.name ?? loadTest.name,
    tags: distinctTags(tags.filter((tag) => !removed.has(tag))),
    pinned: change.pinned ?? loadTest.pinned,
    finishedAtMs: finishedAtMs(loadTest, change),
  };
}

function finishedAtMs(loadTest: LoadTest, change: LoadTestChange): number | undefined {
  if (!("finishedAtMs" in change)) return loadTest.finishedAtMs;
  return change.finishedAtMs === undefined
    ? undefined
    : (loadTest.finishedAtMs ?? change.finishedAtMs);
}

function distinctTags(tags: readonly string[]): readonly string[] {
  return [...new Set(tags)].toSorted(compareLabels);
}
