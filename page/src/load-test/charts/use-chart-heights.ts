import { useEffect, useState } from "preact/hooks";

export interface ChartHeights {
  /** Of response times, in pixels, with the numbers of marks. */
  readonly times: number;
  /** Of requests, errors and bytes each. */
  readonly counts: number;
}

/** Of response times: pixels, as much as the window has, or as fits the window. */
export type ChosenHeight = number | "full" | undefined;

/** The height in the URL. */
export function chosenHeightOf(parameters: ReadonlyMap<string, string>): ChosenHeight {
  const text = parameters.get("height") ?? "";
  if (text === "full") return text;
  return /^\d{3,4}$/.test(text) ? Number(text) : undefined;
}

/** Of a chart on a narrow screen, in pixels. */
export const HEIGHT_NARROW = 184;

/** A part of the window's height, within bounds. In steps, so that few resizes draw anew. */
const TIMES = { share: 0.3, least: 200, most: 420 };
const COUNTS = { share: 0.11, least: 90, most: 120 };
const STEP = 10;
/** What stays beside a chart of full height: the bar of the scope, and the controls of the chart. */
const BESIDE_FULL = 140;

export function chartHeights(windowHeight: number, chosen?: ChosenHeight): ChartHeights {
  const full = Math.max(TIMES.least, windowHeight - BESIDE_FULL);
  const fitting = within(TIMES, windowHeight);
  return {
    times: chosen === undefined ? fitting : chosen === "full" ? full : chosen,
    counts: within(COUNTS, windowHeight),
  };
}

function within({ share, least, most }: typeof TIMES, windowHeight: number): number {
  const height = Math.round((share * windowHeight) / STEP) * STEP;
  return Math.min(most, Math.max(least, height));
}

/** The heights for the present window. */
export function useChartHeights(chosen: ChosenHeight, isNarrow: boolean): ChartHeights {
  const [windowHeight, setWindowHeight] = useState(innerHeight);
  useEffect(() => {
    const update = (): void => setWindowHeight(innerHeight);
    addEventListener("resize", update);
    return () => removeEventListener("resize", update);
  }, []);
  const heights = chartHeights(windowHeight, chosen);
  return isNarrow && chosen === undefined ? { ...heights, times: HEIGHT_NARROW } : heights;
}
