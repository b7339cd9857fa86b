/** Beside the cursor: values in a box, the time in a tag at the bottom. */

import type uPlot from "uplot";
import type { Quantity } from "../format/numbers.ts";

/** A name and its value, or a line in bold. */
export type ReadoutRow =
  | { readonly head: string }
  | {
      readonly name: string;
      readonly value: Quantity;
      /** Custom property with the line's colour. */
      readonly color?: string | undefined;
      /** Whether it is secondary. */
      readonly isSecond?: boolean | undefined;
    };

const BESIDE_CURSOR_PIXELS = 10;
/** Beyond this share of the width the box is on the other side. */
const FLIP_SHARE = 0.7;

/** Shows rows beside the cursor, on the side with room; no rows hide the box. */
export function showReadout(chart: uPlot, box: HTMLElement, rows: readonly ReadoutRow[]): void {
  box.replaceChildren(...rows.map(rowOf));
  const { left = 0 } = chart.cursor;
  const isLeft = left > chart.over.clientWidth * FLIP_SHARE;
  const x = chart.over.offsetLeft + left;
  const holder = box.parentElement?.clientWidth ?? 0;
  box.style.left = isLeft ? "" : `${x + BESIDE_CURSOR_PIXELS}px`;
  box.style.right = isLeft ? `${holder - x + BESIDE_CURSOR_PIXELS}px` : "";
}

/** The same in words. */
export function readoutText(rows: readonly ReadoutRow[]): string {
  const texts = rows.map((row) =>
    "head" in row ? row.head : `${row.name} ${row.value.digits} ${row.value.unit}`.trim(),
  );
  return texts.join(", ");
}

/** Shows the time below the cursor, within the page; an empty text hides it. */
export function showTime(chart: uPlot, tag: HTMLElement, text: string): void {
  tag.textContent = text;
  const half = tag.clientWidth / 2;
  const x = chart.over.offsetLeft + (chart.cursor.left ?? 0);
  tag.style.left = `${Math.min(Math.max(x, half), chart.width - half)}px`;
}

function rowOf(row: ReadoutRow): HTMLElement {
  const made = element("div", "");
  if ("head" in row) {
    made.append(element("b", row.head));
    return made;
  }
  const name = element("span", row.name);
  if (row.isSecond) name.className = "second";
  if (row.color !== undefined) {
    const swatch = name.insertBefore(element("i", ""), name.firstChild);
    swatch.style.background = `var(${row.color})`;
  }
  const value = element("span", row.value.digits);
  if (row.value.unit !== "") value.append(" ", element("small", row.value.unit));
  made.append(name, value);
  return made;
}

function element(tag: "b" | "div" | "i" | "small" | "span", text: string): HTMLElement {
  const made = document.createElement(tag);
  made.textContent = text;
  return made;
}
