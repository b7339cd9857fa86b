export interface LoadLevel {
  /** Active users or requests per second; more than 0. */
  readonly load: number;
  readonly reqPerSec: number;
  /** 95th percentile in seconds; `null`: unknown. */
  readonly p95: number | null;
  /** Number of merged windows. */
  readonly windows: number;
}

/** What a load test did in one window of time. */
export interface LoadWindow extends Omit<LoadLevel, "windows"> {
  readonly requests: number;
}

/** p95 of fewer requests is their maximum, which grows with their number. */
const REQUESTS_MIN = 20;

const LEVELS_MAX = 40;

/**
 * Merges windows of like load into at most 40 levels, ascending: means of load and throughput, medians of p95. A
 * long plateau so counts no more than a short one.
 */
export function levelsOf(windows: readonly LoadWindow[]): LoadLevel[] {
  const most = Math.max(...windows.map(({ load }) => load));
  const byLevel = Map.groupBy(windows, ({ load }) => Math.ceil((load / most) * LEVELS_MAX));
  return [...byLevel.values()]
    .map((own) => ({
      load: mean(own.map(({ load }) => load)),
      reqPerSec: mean(own.map(({ reqPerSec }) => reqPerSec)),
      p95: median(
        own.flatMap(({ p95, requests }) => (p95 === null || requests < REQUESTS_MIN ? [] : [p95])),
      ),
      windows: own.length,
    }))
    .toSorted((one, other) => one.load - other.load);
}

export interface Doubling {
  readonly load: number;
  readonly p95Before: number;
  readonly p95After: number;
}

/** A single slow window is not a limit. */
const WINDOWS_MIN = 3;

/**
 * Finds the load from which p95 is twice that of the lowest fifth of the levels, over adjacent levels of at least 3
 * windows; interpolated between two levels. `undefined` if there is none.
 */
export function findDoubling(levels: readonly LoadLevel[]): Doubling | undefined {
  const known = levels.flatMap(({ p95, ...level }) => (p95 === null ? [] : [{ ...level, p95 }]));
  const lowest = known.slice(0, Math.ceil(known.length / 5));
  const p95Before = median(lowest.map(({ p95 }) => p95));
  if (p95Before === null || p95Before === 0) return undefined;
  const p95After = 2 * p95Before;
  for (let index = lowest.length; index < known.length; index++) {
    const below = known.findIndex(({ p95 }, other) => other >= index && p95 < p95After);
    const slow = known.slice(index, below === -1 ? undefined : below);
    if (slow.reduce((sum, { windows }) => sum + windows, 0) < WINDOWS_MIN) continue;
    const [before, after] = [known[index - 1], known[index]];
    if (before === undefined || after === undefined) break;
    const share = Math.max(0, (p95After - before.p95) / (after.p95 - before.p95));
    return { load: before.load + share * (after.load - before.load), p95Before, p95After };
  }
  return undefined;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** `null` of none. */
function median(values: readonly number[]): number | null {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length / 2;
  const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return low === undefined || high === undefined ? null : (low + high) / 2;
}
