import type { Scope } from "../src/api/figures.ts";
import type { Range } from "../src/load-test/scope/range.ts";

/**
 * Extends a range to whole windows of `seconds`, since nothing is known within one. Figures then match the
 * range shown.
 */
export function onWindows(scope: Scope, whole: Range, grainSeconds: number): Scope {
  const { from, until } = scope;
  const begin = from === undefined ? undefined : from - (from % grainSeconds);
  const end = until === undefined ? undefined : Math.ceil(until / grainSeconds) * grainSeconds;
  return {
    ...scope,
    from: begin === undefined ? undefined : Math.max(begin, whole.from),
    until: end === undefined ? undefined : Math.min(end, whole.until),
  };
}
