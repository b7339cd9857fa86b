/** Which measures moved at an incident. */

import type { MeasurePoints } from "../../api/measures.ts";
import { change, inWords } from "../../format/changes.ts";
import type { Range } from "../scope/range.ts";
import { quantityOf } from "./measure-values.ts";

/** A measure before and during an incident: the growth per second of a counter, else the average. */
export interface Moved {
  readonly measure: Omit<MeasurePoints, "labels" | "counts" | "sums">;
  readonly before: number;
  readonly during: number;
}

/** Smaller changes are left out. */
const CHANGE_MIN = 0.2;

/**
 * Measures that changed by a fifth or more, the most changed first: by the factor between both, so that half and double
 * are alike. Between 0 and something there is no factor: these come first.
 */
export function movedOf(
  measures: readonly MeasurePoints[],
  before: Range,
  during: Range,
): readonly Moved[] {
  const moved = measures.flatMap(({ labels, counts, sums, ...measure }): Moved[] => {
    const points = { ...measure, labels, counts, sums };
    const [from, to] = [valueIn(points, before), valueIn(points, during)];
    const isKnown = from !== undefined && to !== undefined;
    return isKnown && hasMoved(from, to) ? [{ measure, before: from, during: to }] : [];
  });
  return moved.toSorted((one, other) => factorOf(other) - factorOf(one));
}

function hasMoved(before: number, during: number): boolean {
  if (before === during) return false;
  return Math.abs(during - before) >= CHANGE_MIN * Math.min(Math.abs(before), Math.abs(during));
}

function factorOf({ before, during }: Moved): number {
  if (before === 0 || during === 0 || before < 0 !== during < 0) return Infinity;
  return Math.abs(Math.log(during / before));
}

/** Over the intervals that begin in the range. A counter without a value stood still; of others nothing is known. */
function valueIn(
  { kind, labels, counts, sums }: MeasurePoints,
  { from, until }: Range,
): number | undefined {
  let [count, sum] = [0, 0];
  for (const [point, second] of labels.entries()) {
    if (second < from || second >= until) continue;
    count += counts[point] ?? 0;
    sum += sums[point] ?? 0;
  }
  if (kind === "counter") return sum / (until - from);
  return count === 0 ? undefined : sum / count;
}

/** `cpu.usage_user host=web-1: 20 % to 96 % (+380 %)` */
export function movedText({ measure, before, during }: Moved): string {
  const { name, tags, endpoint } = measure;
  const of = [
    name,
    ...Object.entries(tags).map(([tag, value]) => `${tag}=${value}`),
    ...(endpoint === undefined ? [] : [endpoint.label]),
  ].join(" ");
  const [from, to] = [before, during].map((value) => inWords(quantityOf(measure, value)));
  const size = before > 0 ? ` (${inWords(change(during / before - 1))})` : "";
  return `${of}: ${from} to ${to}${size}`;
}
