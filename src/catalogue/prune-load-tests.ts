import { type LoadTestSummary, MINUTE_SECONDS } from "../model/load-test.ts";
import type { LoadTests, Points } from "../store/store.ts";
import { isBaseline } from "./baseline.ts";

/** What is deleted automatically. Pinned load tests and baselines stay and do not count. */
export interface Retention {
  /** Deletes load tests without data for this many days. @default off */
  readonly keepDays?: number | undefined;
  /** Keeps this many, those with the latest data. @default all */
  readonly keepTests?: number | undefined;
  /** Keeps seconds for this many days after the last data, then minutes. @default forever */
  readonly keepSecondsDays?: number | undefined;
}

export interface PrunedLoadTest {
  readonly loadTest: LoadTestSummary;
  readonly reason: "age" | "count";
}

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

/** A load test that is not finished and had data within this time may still be running. */
const RUNNING_MS = HOUR_MS;

/** Maximum share of a store deleted in one pass, unless confirmed. */
const PASS_SHARE = 0.1;

/** Returns those that `retention` does not keep, newest first. */
export function findPrunable(
  loadTests: readonly LoadTestSummary[],
  { keepDays = Infinity, keepTests = Infinity }: Retention,
  nowMs: number,
): readonly PrunedLoadTest[] {
  const signMs = (loadTest: LoadTestSummary): number => lastSignMs(loadTest, nowMs);
  const old = new Set(findOld(loadTests, keepDays, nowMs));
  return loadTests
    .filter((loadTest) => !isKept(loadTest))
    .toSorted((left, right) => signMs(right) - signMs(left))
    .flatMap((loadTest, newer): PrunedLoadTest[] => {
      if (old.has(loadTest)) return [{ loadTest, reason: "age" }];
      const isTooMany = newer >= keepTests && !mayBeRunning(loadTest, nowMs);
      return isTooMany ? [{ loadTest, reason: "count" }] : [];
    });
}

/**
 * Returns those without data for more than this many days, oldest first, without pinned ones and baselines. Ages
 * are relative to the newest request of the store, so that a fast clock makes nothing old, whatever arrives under it.
 */
function findOld(
  loadTests: readonly LoadTestSummary[],
  days: number,
  nowMs: number,
): readonly LoadTestSummary[] {
  const signMs = (loadTest: LoadTestSummary): number => lastSignMs(loadTest, nowMs);
  const countedFromMs = Math.min(nowMs, newestMs(loadTests));
  return loadTests
    .filter((each) => !isKept(each) && countedFromMs - signMs(each) > days * DAY_MS)
    .toSorted((left, right) => signMs(left) - signMs(right));
}

/**
 * Time of the newest request, by the clocks of load generators. The server's clock counts only if no load test has a request with
 * a timestamp: a run with measures alone says nothing else.
 */
function newestMs(loadTests: readonly LoadTestSummary[]): number {
  const timed = loadTests.filter(({ until }) => until !== undefined);
  const filled = loadTests.filter(({ lastDataAtMs }) => lastDataAtMs !== undefined);
  const compared = [timed, filled].find((some) => some.length > 0) ?? loadTests;
  return compared.reduce((latest, each) => Math.max(latest, measuredMs(each)), -Infinity);
}

/** Returns the hours of environments whose measures arrived more than this many days ago, latest first. */
export function findOldHours(
  hours: readonly LoadTestSummary[],
  days: number,
  nowMs: number,
): readonly PrunedLoadTest[] {
  return hours
    .filter(
      ({ lastDataAtMs, createdAtMs }) => nowMs - (lastDataAtMs ?? createdAtMs) > days * DAY_MS,
    )
    .map((loadTest) => ({ loadTest, reason: "age" }));
}

/** Returns how many load tests may be deleted in one pass: a tenth, at least one. */
export function passLimit(loadTests: number): number {
  return Math.ceil(loadTests * PASS_SHARE);
}

/** Deletes at most `atMost` of `due`, the last ones first, and yields each. Skips those pinned or with new data meanwhile. */
export async function* pruneLoadTests(
  loadTests: Pick<LoadTests, "deleteIf">,
  due: readonly PrunedLoadTest[],
  atMost = Infinity,
): AsyncGenerator<PrunedLoadTest> {
  for (const each of due.toReversed().slice(0, atMost)) {
    const { id, lastDataAtMs } = each.loadTest;
    const isDeleted = await loadTests.deleteIf(
      id,
      (found) => !isKept(found) && found.lastDataAtMs === lastDataAtMs,
    );
    if (isDeleted) yield each;
  }
}

/** Whether retention ignores it. */
export function isKept(loadTest: LoadTestSummary): boolean {
  return loadTest.pinned || isBaseline(loadTest);
}

/** Time of the latest data: when it arrived, or was measured if that is later (a clock was behind). Without data: of the creation. */
function lastSignMs({ lastDataAtMs, createdAtMs, until }: LoadTestSummary, nowMs: number): number {
  const measuredAtMs = Math.min(nowMs, (until ?? 0) * 1000);
  return Math.max(lastDataAtMs ?? createdAtMs, measuredAtMs);
}

/** Time of the latest request, by the load generator's clock. Without one: of the latest data, or of the creation. */
function measuredMs({ until, lastDataAtMs, createdAtMs }: LoadTestSummary): number {
  return until === undefined ? (lastDataAtMs ?? createdAtMs) : until * 1000;
}

/** Whether it is not finished and had data recently. */
export function mayBeRunning(loadTest: LoadTestSummary, nowMs: number): boolean {
  return loadTest.finishedAtMs === undefined && nowMs - lastSignMs(loadTest, nowMs) < RUNNING_MS;
}

/** Returns those without data for this many days that still have seconds, oldest first. Pinned ones and baselines keep theirs. */
export function findDownsampled(
  loadTests: readonly LoadTestSummary[],
  keepSecondsDays: number,
  nowMs: number,
): readonly LoadTestSummary[] {
  const old = findOld(loadTests, keepSecondsDays, nowMs);
  return old.filter(({ secondsPerPoint }) => secondsPerPoint < MINUTE_SECONDS);
}

/** Downsamples each that is neither pinned nor gone meanwhile, and yields it; calls `failed` with why one cannot be. */
export async function* downsampleLoadTests(
  loadTests: Pick<LoadTests, "find" | "update">,
  points: Pick<Points, "downsample">,
  due: readonly LoadTestSummary[],
  failed: (error: unknown) => void,
): AsyncGenerator<LoadTestSummary> {
  for (const { id, lastDataAtMs } of due) {
    const found = await loadTests.find(id);
    if (found === undefined || isKept(found) || found.lastDataAtMs !== lastDataAtMs) continue;
    const isDone = await points.downsample(id).catch((error: unknown) => {
      failed(error);
      return false;
    });
    if (!isDone) continue;
    await loadTests.update(id, { secondsPerPoint: MINUTE_SECONDS });
    yield found;
  }
}
