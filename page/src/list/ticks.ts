/** Load tests ticked to be compared or changed. */

import type { LoadTest } from "../api/load-tests.ts";

/** More than that can only be selected with `ALL`. */
export const TICKS_MAX = 100;

/** The most that can be compared at once. */
export const COMPARED_MAX = 20;

/** Stands for all runs that match the search, in place of ids. */
export const ALL = "*";

/** Their ids as in the URL, in the order they were ticked. */
export function ticksIn(text: string | undefined): readonly string[] {
  const ids = (text ?? "").split(",").filter((id) => id !== "");
  return [...new Set(ids)].slice(0, TICKS_MAX);
}

/** Toggles a tick; beyond `TICKS_MAX` nothing changes. */
export function toggled(ticks: readonly string[], id: string): readonly string[] {
  if (ticks.includes(id)) return ticks.filter((each) => each !== id);
  return [...ticks, id].slice(0, TICKS_MAX);
}

/** Start of a load test in UNIX seconds; if unknown, its creation. */
export function beganAt({ from, createdAt }: Pick<LoadTest, "from" | "createdAt">): number {
  return from ?? Date.parse(createdAt) / 1000;
}

/** The base first: the oldest, or if swapped the latest. */
export function baseFirst<Run extends Pick<LoadTest, "from" | "createdAt">>(
  ticked: readonly Run[],
  isSwapped: boolean,
): readonly Run[] {
  const byStart = ticked.toSorted((left, right) => beganAt(left) - beganAt(right));
  return isSwapped ? byStart.toReversed() : byStart;
}
