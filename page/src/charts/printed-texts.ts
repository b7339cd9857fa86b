/** Axis texts on paper: they are text there, not part of a picture, so that they can be selected and searched. */

import type uPlot from "uplot";
import { isPrinting } from "../parts/printing.ts";

/** Pixels between an axis and its texts. */
const GAP = 6;

/** Writes the texts of both axes over the chart, whose canvas then has none. */
export function writeAxisTexts(chart: uPlot): void {
  const holder = chart.over.parentElement;
  holder?.querySelector(".axis-texts")?.remove();
  if (holder === null || !isPrinting()) return;
  const layer = document.createElement("div");
  layer.className = "axis-texts";
  layer.ariaHidden = "true";
  const { offsetLeft, offsetTop, clientHeight } = chart.over;
  for (const [value, text] of textsOf(chart, 0)) {
    const [x, y] = [offsetLeft + chart.valToPos(value, "x"), offsetTop + clientHeight + GAP];
    layer.append(spanAt("below", text, [x, y]));
  }
  for (const [value, text] of textsOf(chart, 1)) {
    layer.append(
      spanAt("before", text, [offsetLeft - GAP, offsetTop + chart.valToPos(value, "y")]),
    );
  }
  holder.append(layer);
}

/** As uPlot asks for them when it draws. */
function textsOf(chart: uPlot, at: 0 | 1): readonly (readonly [value: number, text: string])[] {
  const { splits, values } = chart.axes[at] ?? {};
  const { min, max } = chart.scales[at === 0 ? "x" : "y"] ?? {};
  if (typeof splits !== "function" || typeof values !== "function") return [];
  if (min === undefined || max === undefined) return [];
  const places = splits(chart, at, min, max, 0, 0);
  const texts = values(chart, places, at, 0, 0);
  return places.flatMap((place, index) => {
    const text = String(texts[index] ?? "");
    return text === "" || place < min || place > max ? [] : [[place, text] as const];
  });
}

function spanAt(side: string, text: string, [left, top]: readonly [number, number]): HTMLElement {
  const span = document.createElement("span");
  span.className = side;
  span.textContent = text;
  span.style.left = `${left}px`;
  span.style.top = `${top}px`;
  return span;
}
