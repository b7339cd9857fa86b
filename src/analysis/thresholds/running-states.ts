import type { RunningLimitJson } from "../../api/live.ts";
import { type CheckedLimit, failsCheck, limitJson } from "../check/limit.ts";

const STATES_MAX = 50;

/** The newest window of each limit, those that are broken first. `before`: what this returned for an earlier look. */
export function statesOf(
  checked: readonly CheckedLimit[],
  before: readonly RunningLimitJson[] = [],
): readonly RunningLimitJson[] {
  const known = new Map(before.map((each) => [each.failIf, each]));
  const states = checked.flatMap(({ limit, newest, ...judged }) => {
    if (newest === undefined) return [];
    const { measured, window, isBroken, brokenSince } = newest;
    const fails = failsCheck({ ...judged, limit, outcome: "broken" });
    const about = limitJson(limit);
    const since = earlierOf(brokenSince, known.get(about.failIf));
    return [{ ...about, fails, isBroken, brokenSince: since, measured, window }];
  });
  return states
    .toSorted((left, right) => Number(right.isBroken) - Number(left.isBroken))
    .slice(0, STATES_MAX);
}

/** A look reads only the latest windows: what was broken in all of them may have been broken before. */
function earlierOf(
  brokenSince: number | undefined,
  before: RunningLimitJson | undefined,
): number | undefined {
  if (brokenSince === undefined || before?.brokenSince === undefined) return brokenSince;
  return brokenSince <= before.window.until + 1 ? before.brokenSince : brokenSince;
}
