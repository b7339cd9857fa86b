import { type LoadTestSummary, MINUTES_TAG } from "../model/load-test.ts";
import type { LoadTests, Points } from "../store/store.ts";
import { findOld, isKept } from "./prune-load-tests.ts";

/**
 * Returns those without data for this many days that still have seconds, oldest first. Pinned ones and baselines
 * keep theirs.
 */
export function findDownsampled(
  loadTests: readonly LoadTestSummary[],
  keepSecondsDays: number,
  nowMs: number,
): readonly LoadTestSummary[] {
  const old = findOld(loadTests, keepSecondsDays, nowMs);
  return old.filter(({ tags }) => !tags.includes(MINUTES_TAG));
}

/** Downsamples each that is neither pinned nor gone meanwhile, and yields it. Throws `damaged-store`. */
export async function* downsampleLoadTests(
  loadTests: Pick<LoadTests, "find" | "update">,
  downsample: NonNullable<Points["downsample"]>,
  due: readonly LoadTestSummary[],
): AsyncGenerator<LoadTestSummary> {
  for (const { id, lastDataAtMs } of due) {
    const found = await loadTests.find(id);
    if (found === undefined || isKept(found) || found.lastDataAtMs !== lastDataAtMs) continue;
    if (!(await downsample(id))) continue;
    await loadTests.update(id, { addedTags: [MINUTES_TAG] });
    yield found;
  }
}
