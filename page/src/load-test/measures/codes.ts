/** Response codes per second, one upon the other. */

import type { Failures, Series } from "../../api/figures.ts";
import type { MeasurePoints } from "../../api/measures.ts";
import type { ChartLine } from "../../charts/chart-line.ts";
import { type Grid, perSecond, valuesOn } from "../../charts/grid.ts";
import { withoutSource } from "../causes/failure-kinds.ts";
import { stackedLines } from "./phases.ts";

/** The measure that counts passed responses of an endpoint by the tag `code`. */
export const RESPONSES = "responses";

/** The most frequent codes each have an area; one colour is left for the rest. */
const NAMED_MAX = 7;
const OTHERS = "others";

type CountsBySecond = Map<number, number>;

/**
 * Areas of failed and of passed requests by code; the rarest codes, and requests without one, are others. None if there is no
 * code; 0 only where there were requests.
 */
export function codeLines(
  failed: Pick<Failures, "kinds">,
  passed: readonly MeasurePoints[],
  requests: Pick<Series, "labels" | "windows">,
  grid: Grid,
): readonly ChartLine[] {
  const codes = new Map<string, CountsBySecond>();
  for (const { code, series } of failed.kinds) {
    for (const [second, count] of series) add(codes, codeName(code), second, count);
  }
  for (const { tags, labels, sums } of passed) {
    const name = tags["code"] ? `${tags["code"]} passed` : "";
    for (const [point, second] of labels.entries()) add(codes, name, second, sums[point] ?? 0);
  }
  const hadRequests = valuesOn(grid, requests, () => 0);
  const parts = withOthers(codes).map(([name, counts]) => {
    const points = [...counts].toSorted(([one], [other]) => one - other);
    const labels = points.map(([second]) => second);
    const rates = perSecond(
      grid,
      { labels },
      points.map(([, count]) => count),
    );
    return { name, values: rates.map((rate, window) => rate ?? hadRequests[window] ?? null) };
  });
  return stackedLines(parts);
}

/** Of an exception, the class without its package: there is room for little more than a number. */
function codeName(code: string): string {
  return withoutSource(code).replace(/^(?:[a-z]\w*\.)+(?=[A-Z])/, "");
}

function add(
  codes: Map<string, CountsBySecond>,
  name: string,
  second: number,
  count: number,
): void {
  const counts = codes.get(name) ?? new Map<number, number>();
  codes.set(name, counts.set(second, (counts.get(second) ?? 0) + count));
}

/** Most frequent first; the rest, and responses without a code, last. */
function withOthers(
  codes: ReadonlyMap<string, CountsBySecond>,
): readonly (readonly [name: string, counts: CountsBySecond])[] {
  const total = (counts: CountsBySecond) =>
    [...counts.values()].reduce((sum, count) => sum + count, 0);
  const named = [...codes]
    .filter(([name]) => name !== "")
    .toSorted(([, one], [, other]) => total(other) - total(one));
  const shown = named.slice(0, NAMED_MAX);
  if (shown.length === codes.size || shown.length === 0) return shown;
  const others = new Map<string, CountsBySecond>();
  const left = [...named.slice(NAMED_MAX).map(([, counts]) => counts), codes.get("") ?? new Map()];
  for (const counts of left) {
    for (const [second, count] of counts) add(others, OTHERS, second, count);
  }
  return [...shown, ...others];
}
