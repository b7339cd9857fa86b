import { unless } from "../model/errors.ts";
import type { LoadTest, LoadTestSummary } from "../model/load-test.ts";
import { FAILED_TAG } from "../model/load-test/attributes.ts";
import type { LoadTests } from "../store/store.ts";

/** Tag of a run that is the baseline of its name. */
export const BASELINE_TAG = "baseline";

export function isBaseline({ tags }: Pick<LoadTest, "tags">): boolean {
  return tags.includes(BASELINE_TAG);
}

interface ListedLoadTests {
  list(query: {
    readonly search: string;
    readonly tag: string;
  }): Promise<readonly LoadTestSummary[]>;
}

/** Returns the baseline of a name: of several with the tag, the one that started last. */
export async function findBaseline(
  loadTests: ListedLoadTests,
  name: string,
): Promise<LoadTestSummary | undefined> {
  return (await listBaselines(loadTests, name))[0];
}

/**
 * Makes a load test the only baseline of its name; `change` adds the tag. Earlier ones lose the tag
 * afterwards, and only those: of two that are pinned concurrently, at least one stays.
 */
export async function moveBaseline<Changed extends LoadTestSummary>(
  loadTests: Pick<LoadTests, "list" | "update">,
  name: string,
  change: () => Promise<Changed>,
): Promise<Changed> {
  const earlier = await listBaselines(loadTests, name);
  const changed = await change();
  for (const { id } of earlier) {
    if (id === changed.id) continue;
    // It may have been deleted meanwhile.
    const removed = { removedTags: [BASELINE_TAG] };
    await unless("unknown-load-test", () => loadTests.update(id, removed));
  }
  return changed;
}

/** Latest start first. */
async function listBaselines(
  loadTests: ListedLoadTests,
  name: string,
): Promise<readonly LoadTestSummary[]> {
  const found = await loadTests.list({ search: name, tag: BASELINE_TAG });
  return found.filter((each) => each.name === name);
}

/** Tags of load tests that were checked against the thresholds of their name when they were finished. */
export const PASSED_TAG = "thresholds-passed";

/** `undefined` if it was not checked. */
export function verdictIn({ tags }: Pick<LoadTest, "tags">): "passed" | "failed" | undefined {
  if (tags.includes(FAILED_TAG)) return "failed";
  return tags.includes(PASSED_TAG) ? "passed" : undefined;
}
