import { useEffect, useState } from "preact/hooks";

export interface ChartHeights {
  /** Of response times, in pixels, with the numbers of marks. */
  readonly times: number;
  /** Of requests, errors and bytes each. */
  readonly counts: number;
}

/** A part of the window's height, within bounds. In steps, so that few resizes draw anew. */
const TIMES = { share: 0.3, least: 200, most: 420 };
const COUNTS = { share: 0.11, least: 90, most: 120 };
const STEP = 10;

export function chartHeights(windowHeight: number): ChartHeights {
  return { times: within(TIMES, windowHeight), counts: within(COUNTS, windowHeight) };
}

function within({ share, least, most }: typeof TIMES, windowHeight: number): number {
  const height = Math.round((share * windowHeight) / STEP) * STEP;
  return Math.min(most, Math.max(least, height));
}

/** The heights for the present window. */
export function useChartHeights(): ChartHeights {
  const [heights, setHeights] = useState(() => chartHeights(innerHeight));
  useEffect(() => {
    const update = (): void => {
      const next = chartHeights(innerHeight);
      setHeights((last) =>
        last.times === next.times && last.counts === next.counts ? last : next,
      );
    };
    addEventListener("resize", update);
    return () => removeEventListener("resize", update);
  }, []);
  return heights;
}
