import type { OmittedRequests } from "../../api/findings.ts";

/** What a figure of some requests would be at least with those that the load generator omitted. */
interface Measured {
  readonly count: number;
  /** Of all requests in which the omission was found. */
  readonly share: number;
}

/**
 * Returns the least response time in seconds that `percent` of the requests may have taken, counted from when they were due: a request that
 * is due at any time of a stall waits for the rest of it. What was recorded counts as immediate, so that the larger of this and the recorded percentile is a
 * bound. 0 if there is none.
 */
export function percentileAtLeast(
  percent: number,
  stalls: readonly OmittedRequests[],
  { count, share }: Measured,
): number {
  const all = count + share * unsentIn(stalls);
  const slower = (1 - percent / 100) * all;
  const longest = stalls.toSorted((left, right) => right.waitSeconds - left.waitSeconds);
  let [requests, perSecond] = [0, 0];
  for (const [at, { requests: omitted, waitSeconds }] of longest.entries()) {
    requests += omitted * share;
    perSecond += (omitted * share) / waitSeconds;
    // So many of the omitted ones take longer than a time: requests - time * perSecond.
    const time = (requests - slower) / perSecond;
    if (time >= (longest[at + 1]?.waitSeconds ?? 0)) return Math.max(0, time);
  }
  return 0;
}

/** The same of the average, which is `seconds` as recorded. */
export function averageAtLeast(
  seconds: number,
  stalls: readonly OmittedRequests[],
  { count, share }: Measured,
): number {
  const waited = stalls.reduce((sum, each) => sum + (each.requests * each.waitSeconds) / 2, 0);
  return (seconds * count + share * waited) / (count + share * unsentIn(stalls));
}

/** Late ones are recorded. */
function unsentIn(stalls: readonly OmittedRequests[]): number {
  return stalls.reduce((sum, { requests, isLate }) => sum + (isLate ? 0 : requests), 0);
}
