/** Load tests ticked for comparison: at most two. */

import type { LoadTest } from "../api/load-tests.ts";

/** Their ids as in the URL, in the order they were ticked. */
export function ticksIn(text: string | undefined): readonly string[] {
  const ids = (text ?? "").split(",").filter((id) => id !== "");
  return [...new Set(ids)].slice(0, 2);
}

/** Toggles a tick; a third replaces the first. */
export function toggled(ticks: readonly string[], id: string): readonly string[] {
  if (ticks.includes(id)) return ticks.filter((each) => each !== id);
  return [...ticks, id].slice(-2);
}

/** Start of a load test in UNIX seconds; if unknown, its creation. */
export function beganAt({ from, createdAt }: Pick<LoadTest, "from" | "createdAt">): number {
  return from ?? Date.parse(createdAt) / 1000;
}

/** The base of two: the older one, unless swapped. */
export function inOrder<Told extends Pick<LoadTest, "from" | "createdAt">>(
  [left, right]: readonly [Told, Told],
  isSwapped: boolean,
): { readonly base: Told; readonly later: Told } {
  const isLeftOlder = beganAt(left) <= beganAt(right);
  return isLeftOlder === isSwapped ? { base: right, later: left } : { base: left, later: right };
}
