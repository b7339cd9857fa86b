/** Where the names of lines stand: at their right ends, none over another. */

import type { Values } from "./grid.ts";

/** Part of a line, at its end, whose median its name stands at. */
const END_SHARE = 1 / 15;

/** The value at which the name of a line stands; `undefined` for a line without values. */
export function endValue(values: Values): number | undefined {
  const last = values.slice(-Math.max(1, Math.ceil(values.length * END_SHARE)));
  const known = last.filter((value) => value !== null).toSorted((left, right) => left - right);
  if (known.length > 0) return known[Math.floor(known.length / 2)];
  return values.findLast((value) => value !== null) ?? undefined;
}

/**
 * Places at least `gap` apart, as near to the wished ones and in their order as there is room between
 * 0 and `most`; of equal wishes the first stands above.
 */
export function pushedApart(wishes: readonly number[], gap: number, most: number): number[] {
  const order = wishes.map((_, index) => index).toSorted((a, b) => at(wishes, a) - at(wishes, b));
  const places: number[] = [];
  let above = -gap;
  for (const index of order) {
    above = Math.max(at(wishes, index), above + gap);
    places[index] = above;
  }
  let below = most + gap;
  for (const index of order.toReversed()) {
    below = Math.min(at(places, index), below - gap);
    places[index] = below;
  }
  return places;
}

function at(values: readonly number[], index: number): number {
  return values[index] ?? 0;
}
