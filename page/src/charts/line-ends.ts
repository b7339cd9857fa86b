/** Positions of line names: at the right ends, without overlaps. */

import type uPlot from "uplot";
import type { ChartLine } from "./chart-line.ts";
import type { Values } from "./grid.ts";
import type { TimeChartProps } from "./time-chart-props.ts";

/** The least size of a target: WCAG 2.2, 2.5.8. */
const NAME_HEIGHT = 24;

/** Above and below the middles of names, without an axis, and what an axis adds. */
const MARGINS = { plain: 20, marked: 28, axis: 14 };

/** Share of a line, at its end, whose median positions its name. */
const END_SHARE = 1 / 15;

/** The lines with a name at their end: those with values, unless their `endText` is empty. */
export function namedLines(lines: readonly ChartLine[]): readonly ChartLine[] {
  return lines.filter(
    ({ isPreview = false, endText, values }) =>
      !isPreview && endText !== "" && values.some((value) => value !== null),
  );
}

/** Height in pixels of a chart with room for names: their middles lie between its lines and their edges. */
export function heightForNames(
  names: number,
  { hasMarkNumbers, hasTimeAxis }: Pick<TimeChartProps, "hasMarkNumbers" | "hasTimeAxis">,
): number {
  const margin = hasMarkNumbers === true ? MARGINS.marked : MARGINS.plain;
  return NAME_HEIGHT * (names - 1) + margin + (hasTimeAxis ? MARGINS.axis : 0);
}

/** Middles of the names, in pixels from the top of the chart. */
export function nameTops(chart: uPlot, lines: readonly ChartLine[]): number[] {
  const height = chart.over.clientHeight;
  const requests = lines.map(({ values, scale = "y" }) => {
    // The last value only ends the step before it.
    const value = endValue(values.slice(0, -1));
    const place = value === undefined ? height : chart.valToPos(value, scale);
    return Number.isFinite(place) ? Math.min(Math.max(place, 0), height) : height;
  });
  // No name is above the chart, where other targets are.
  const least = Math.max(0, NAME_HEIGHT / 2 - chart.over.offsetTop);
  const within = requests.map((place) => Math.max(place, least));
  const places = pushedApart(within, NAME_HEIGHT, height);
  return places.map((place) => Math.round(place + chart.over.offsetTop));
}

/** The value at which a line's name stands; `undefined` for a line without values. */
export function endValue(values: Values): number | undefined {
  const last = values.slice(-Math.max(1, Math.ceil(values.length * END_SHARE)));
  const known = last.filter((value) => value !== null).toSorted((left, right) => left - right);
  if (known.length > 0) return known[Math.floor(known.length / 2)];
  return values.findLast((value) => value !== null) ?? undefined;
}

/**
 * Positions at least `gap` apart between 0 and `most`, in order and as near as possible to the requested
 * ones; of equal requests the first is on top.
 */
export function pushedApart(requests: readonly number[], gap: number, most: number): number[] {
  const order = requests
    .map((_, index) => index)
    .toSorted((a, b) => at(requests, a) - at(requests, b));
  const places: number[] = [];
  let above = -gap;
  for (const index of order) {
    above = Math.max(at(requests, index), above + gap);
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
