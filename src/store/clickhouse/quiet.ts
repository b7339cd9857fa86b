/** When a load test is worth a merged copy, and at rest for long enough to be given one. */

import type { StoredLoadTest } from "./facts.ts";
import type { StoredSource } from "./sources.ts";

/** Less than that is merged faster than it is told from others. */
const REQUESTS_MIN = 10_000;

/** How long after the last batch of a sender no further one is expected. */
const LIVE_QUIET_MS = 10 * 60_000;

/** The same of files, which are often imported several at a time, and of what is finished. */
const FINISHED_QUIET_MS = 60_000;

/** The time from which on it should have a copy; `undefined` where it need not. */
export function sealAtMs(
  { loadTest }: Pick<StoredLoadTest, "loadTest">,
  sources: readonly StoredSource[],
): number | undefined {
  const visible = sources.filter(({ isVisible }) => isVisible);
  const requests = visible.reduce((sum, { batches }) => sum + (batches?.requests ?? 0), 0);
  if (requests < REQUESTS_MIN) return undefined;
  const isLive = visible.some(({ published }) => published === undefined);
  const isExpectingMore = isLive && loadTest.finishedAtMs === undefined;
  const lastMs = visible.reduce((last, source) => Math.max(last, shownAtMs(source)), 0);
  return lastMs + (isExpectingMore ? LIVE_QUIET_MS : FINISHED_QUIET_MS);
}

function shownAtMs({ published, batches }: StoredSource): number {
  return published?.storedAtMs ?? batches?.storedAtMs ?? 0;
}
