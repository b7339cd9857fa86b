import type { DataPoints } from "../model/data-points.ts";
import { mergePoints } from "../model/merge-points.ts";

/** Length of the windows, and what no window reaches beyond. */
export interface Downsampling {
  readonly windowSeconds: number;
  /** First and last second of the load test, inclusive: its first and last window may be shorter. */
  readonly firstSecond: number;
  readonly lastSecond: number;
}

/**
 * Merges the points of each window, a multiple of its length since 1970, into one at its start. Points without
 * a timestamp stay apart. Merging the result again changes nothing. Throws `sum-too-large`.
 */
export function downsample(points: DataPoints, downsampling: Downsampling): DataPoints {
  const count = points.second.length;
  const second = new Uint32Array(count);
  const windowSeconds = new Uint16Array(count);
  for (let point = 0; point < count; point++) {
    const at = points.second[point] as number;
    const own = points.windowSeconds?.[point] ?? 1;
    const { start, end } = windowAround(at, downsampling);
    second[point] = start;
    windowSeconds[point] = Math.min(Math.max(end, at + own) - start, 65_535);
  }
  return mergePoints([{ ...points, second, windowSeconds }]);
}

/** Half open. */
function windowAround(
  at: number,
  { windowSeconds, firstSecond, lastSecond }: Downsampling,
): { readonly start: number; readonly end: number } {
  if (at === 0) return { start: 0, end: 1 };
  const start = at - (at % windowSeconds);
  return {
    start: Math.max(start, Math.min(firstSecond, at)),
    end: Math.min(start + windowSeconds, Math.max(lastSecond, at) + 1),
  };
}
