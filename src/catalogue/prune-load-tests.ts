import { UserError } from "../model/errors.ts";
import type { LoadTestSummary } from "../model/load-test.ts";
import type { LoadTests } from "../store/store.ts";
import { isBaseline } from "./baseline.ts";

/** Which load tests go by themselves. Pinned ones and baselines never do, and do not count. */
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

/** So much of a store goes in one pass at most, unless somebody said yes to more. */
const PASS_SHARE = 0.1;

/**
 * Those that `retention` does not keep, newest first. The age of a load test is how much earlier than the
 * newest data of the store its own are, so that a clock that runs ahead makes nothing old.
 */
export function findPrunable(
  loadTests: readonly LoadTestSummary[],
  { keepDays = Infinity, keepTests = Infinity }: Retention,
  nowMs: number,
): readonly PrunedLoadTest[] {
  const signMs = (loadTest: LoadTestSummary): number => lastSignMs(loadTest, nowMs);
  const newestMs = loadTests.reduce((latest, each) => Math.max(latest, signMs(each)), -Infinity);
  const countedFromMs = Math.min(nowMs, newestMs);
  return loadTests
    .filter((loadTest) => !isKept(loadTest))
    .toSorted((left, right) => signMs(right) - signMs(left))
    .flatMap((loadTest, newer): PrunedLoadTest[] => {
      const isOld = countedFromMs - signMs(loadTest) > keepDays * DAY_MS;
      if (isOld) return [{ loadTest, reason: "age" }];
      const isTooMany = newer >= keepTests && !mayBeRunning(loadTest, nowMs);
      return isTooMany ? [{ loadTest, reason: "count" }] : [];
    });
}

/** How many of so many load tests may go in one pass: a tenth, and one at least. */
export function passLimit(loadTests: number): number {
  return Math.ceil(loadTests * PASS_SHARE);
}

/**
 * Deletes those of `due`, the last ones first, `atMost` so many, and gives each as soon as it is gone. One
 * that was pinned or got data while others were being deleted stays.
 */
export async function* pruneLoadTests(
  loadTests: Pick<LoadTests, "find" | "delete">,
  due: readonly PrunedLoadTest[],
  atMost = Infinity,
): AsyncGenerator<PrunedLoadTest> {
  for (const each of due.toReversed().slice(0, atMost)) {
    const { id, lastDataAtMs } = each.loadTest;
    const found = await loadTests.find(id);
    if (found === undefined || isKept(found) || found.lastDataAtMs !== lastDataAtMs) continue;
    if (await hasDeleted(loadTests, id)) yield each;
  }
}

/** Whether retention leaves it alone. */
export function isKept(loadTest: LoadTestSummary): boolean {
  return loadTest.pinned || isBaseline(loadTest);
}

/**
 * When a load test had data the last time: when they came, or were measured if that is later, which
 * it is where they came while the clock was behind. Without data it is its creation.
 */
function lastSignMs({ lastDataAtMs, createdAtMs, until }: LoadTestSummary, nowMs: number): number {
  const measuredAtMs = Math.min(nowMs, (until ?? 0) * 1000);
  return Math.max(lastDataAtMs ?? createdAtMs, measuredAtMs);
}

/** Whether it is not finished and had data lately. */
export function mayBeRunning(loadTest: LoadTestSummary, nowMs: number): boolean {
  return loadTest.finishedAtMs === undefined && nowMs - lastSignMs(loadTest, nowMs) < RUNNING_MS;
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
