/** What stands beside the cursor: values in a box, the time in a tag at the foot. */

import type uPlot from "uplot";

/** A name and its value; without a name: a line in bold. */
export type ReadoutRow = readonly [name: string, value: string];

const BESIDE_CURSOR_PIXELS = 10;
/** Beyond this share of the width the box stands on the other side. */
const FLIP_SHARE = 0.7;

/** Puts rows beside the cursor, on the side of it where there is room; none: takes the box away. */
export function showReadout(chart: uPlot, box: HTMLElement, rows: readonly ReadoutRow[]): void {
  box.replaceChildren(...rows.map(rowOf));
  const { left = 0 } = chart.cursor;
  const isLeft = left > chart.over.clientWidth * FLIP_SHARE;
  const x = chart.over.offsetLeft + left;
  const holder = box.parentElement?.clientWidth ?? 0;
  box.style.left = isLeft ? "" : `${x + BESIDE_CURSOR_PIXELS}px`;
  box.style.right = isLeft ? `${holder - x + BESIDE_CURSOR_PIXELS}px` : "";
}

/** Puts the time under the cursor; empty: takes it away. */
export function showTime(chart: uPlot, tag: HTMLElement, text: string): void {
  tag.textContent = text;
  tag.style.left = `${chart.over.offsetLeft + (chart.cursor.left ?? 0)}px`;
}

function rowOf([name, value]: ReadoutRow): HTMLElement {
  const row = document.createElement("div");
  const parts = name === "" ? [element("b", value)] : [element("span", name), element("i", value)];
  row.append(...parts);
  return row;
}

function element(tag: "b" | "i" | "span", text: string): HTMLElement {
  const made = document.createElement(tag);
  made.textContent = text;
  return made;
}
