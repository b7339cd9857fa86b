/** Load tests that are ticked in the list, to be compared: at most two. */

import type { LoadTest } from "../api/load-tests.ts";

/** Their ids, as the address has them: in the order in which they were ticked. */
export function ticksIn(text: string | undefined): readonly string[] {
  const ids = (text ?? "").split(",").filter((id) => id !== "");
  return [...new Set(ids)].slice(0, 2);
}

/** With this one ticked, or not any more; of three the one that was ticked first gives way. */
export function toggled(ticks: readonly string[], id: string): readonly string[] {
  if (ticks.includes(id)) return ticks.filter((each) => each !== id);
  return [...ticks, id].slice(-2);
}

/** When a load test began, in UNIX seconds: as far as nothing tells it, when it was made. */
export function beganAt({ from, createdAt }: Pick<LoadTest, "from" | "createdAt">): number {
  return from ?? Date.parse(createdAt) / 1000;
}

/** Which of two is the base: the older one, unless they are swapped. */
export function inOrder<Told extends Pick<LoadTest, "from" | "createdAt">>(
  [left, right]: readonly [Told, Told],
  isSwapped: boolean,
): { readonly base: Told; readonly later: Told } {
  const isLeftOlder = beganAt(left) <= beganAt(right);
  return isLeftOlder === isSwapped ? { base: right, later: left } : { base: left, later: right };
}
