/** Small charts without axes, as paths of an SVG. */

import type { Values } from "./grid.ts";

/** Steps from the left to the right edge, from 0 at the foot to the largest value; gaps stay gaps. */
export function sparkPath(values: Values, width: number, height: number): string {
  const most = Math.max(...values.map((value) => value ?? 0));
  const step = width / values.length;
  const parts = values.map((value, index) => {
    if (value === null) return "";
    const y = rounded(height - (most === 0 ? 0 : value / most) * (height - 1) - 0.5);
    const isBegin = index === 0 || values[index - 1] === null;
    const begin = isBegin ? `M${rounded(index * step)} ${y}` : `V${y}`;
    return `${begin}H${rounded((index + 1) * step)}`;
  });
  return parts.join("");
}

/** The same as an area down to the foot. */
export function sparkArea(values: Values, width: number, height: number): string {
  const most = Math.max(...values.map((value) => value ?? 0));
  const step = width / values.length;
  const parts = values.map((value, index) => {
    if (value === null || most === 0) return "";
    const y = rounded(height - (value / most) * (height - 1));
    return `M${rounded(index * step)} ${height}V${y}h${rounded(step)}V${height}`;
  });
  return parts.join("");
}

/** A tick for each value other than 0, `thickness` high; `tops` says where, from the top. */
export function sparkTicks(
  values: Values,
  width: number,
  tops: (index: number) => number,
  thickness: number,
): string {
  const step = width / values.length;
  const parts = values.map((value, index) => {
    if (!value) return "";
    const [x, y] = [rounded(index * step), rounded(tops(index))];
    return `M${x} ${y}h${rounded(Math.max(2, step))}v${thickness}h-${rounded(Math.max(2, step))}z`;
  });
  return parts.join("");
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
