import { UserError } from "../model/errors.ts";
import type { LoadTestSummary } from "../model/load-test.ts";
import type { LoadTests } from "../store/store.ts";

/** Which load tests go by themselves. Pinned ones never do, and do not count. */
export interface Retention {
  /** Load tests without data for so many days go. @default none */
  readonly keepDays?: number | undefined;
  /** All but so many go; those with the latest data stay. @default none */
  readonly keepTests?: number | undefined;
}

/** A load test that goes, and why. */
export interface PrunedLoadTest {
  readonly loadTest: LoadTestSummary;
  readonly reason: "age" | "count";
}

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

/** A load test that is not finished and had data within this time may still be running. */
const RUNNING_MS = HOUR_MS;

/** Those that `retention` does not keep, newest first. */
export function findPrunable(
  loadTests: readonly LoadTestSummary[],
  { keepDays = Infinity, keepTests = Infinity }: Retention,
  nowMs: number,
): readonly PrunedLoadTest[] {
  return loadTests
    .filter(({ pinned }) => !pinned)
    .toSorted((left, right) => lastSignMs(right) - lastSignMs(left))
    .flatMap((loadTest, newer): PrunedLoadTest[] => {
      if (nowMs - lastSignMs(loadTest) > keepDays * DAY_MS) return [{ loadTest, reason: "age" }];
      const isTooMany = newer >= keepTests && !mayBeRunning(loadTest, nowMs);
      return isTooMany ? [{ loadTest, reason: "count" }] : [];
    });
}

/**
 * Deletes those that `retention` does not keep, and gives each as soon as it is gone. One that was
 * pinned or got data while others were being deleted stays.
 */
export async function* pruneLoadTests(
  loadTests: Pick<LoadTests, "list" | "find" | "delete">,
  retention: Retention,
  nowMs: number,
): AsyncGenerator<PrunedLoadTest> {
  for (const each of findPrunable(await loadTests.list(), retention, nowMs)) {
    const { id, lastDataAtMs } = each.loadTest;
    const found = await loadTests.find(id);
    if (found === undefined || found.pinned || found.lastDataAtMs !== lastDataAtMs) continue;
    if (await hasDeleted(loadTests, id)) yield each;
  }
}

/** Age counts from the last data, or from the creation of a load test that never had any. */
function lastSignMs({ lastDataAtMs, createdAtMs }: LoadTestSummary): number {
  return lastDataAtMs ?? createdAtMs;
}

function mayBeRunning(loadTest: LoadTestSummary, nowMs: number): boolean {
  return loadTest.finishedAtMs === undefined && nowMs - lastSignMs(loadTest) < RUNNING_MS;
}

/** Answers whether it was there to be deleted. */
async function hasDeleted(loadTests: Pick<LoadTests, "delete">, id: string): Promise<boolean> {
  try {
    await loadTests.delete(id);
    return true;
  } catch (error) {
    if (error instanceof UserError && error.code === "unknown-load-test") return false;
    throw error;
  }
}
