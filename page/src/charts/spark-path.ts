/** Small charts without axes, as SVG paths. */

import type { Values } from "./grid.ts";

/** Steps over the full width, from 0 at the bottom to the maximum; gaps stay gaps. */
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

/** The same as an area. */
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

/** Top and height of a box. */
export interface SparkBox {
  readonly top: number;
  readonly height: number;
}

/** A box for each value other than 0, at least two pixels wide. */
export function sparkBoxes(
  values: Values,
  width: number,
  boxOf: (value: number, index: number) => SparkBox,
): string {
  const step = width / values.length;
  const wide = rounded(Math.max(2, step));
  const parts = values.map((value, index) => {
    if (!value) return "";
    const { top, height } = boxOf(value, index);
    return `M${rounded(index * step)} ${rounded(top)}h${wide}v${rounded(height)}h-${wide}z`;
  });
  return parts.join("");
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
