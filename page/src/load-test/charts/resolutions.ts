/** How long the points of charts are. */

import { hasBand, hasLines } from "../endpoints/endpoint-lines.ts";
import type { Range } from "../scope/range.ts";
import { resolutionFor, RESOLUTIONS } from "../scope/scope.ts";

/** Seconds of a point. */
export interface Resolutions {
  /** Of all that is shown as one: percentiles and heatmaps. */
  readonly resolution: number;
  /** Of requests, failures and bytes: counts are no noisier where points are short. */
  readonly countResolution: number;
  /** Of the line of each endpoint that is selected; empty where they have none. */
  readonly lineResolutions: readonly number[];
}

export interface ResolutionsRequest {
  readonly hashes: readonly string[];
  readonly range: Range;
  readonly isHeatmap: boolean;
  /** Seconds of every point, where somebody has chosen them. */
  readonly chosenSeconds: number | undefined;
  /** Pixels of the range in the charts. */
  readonly widthPixels: number;
  /** Points are multiples of it. */
  readonly grainSeconds: number;
}

/** The resolutions for so many requests: of all as one, or of each endpoint that has a line of its own. */
export function resolutionsOf(
  request: ResolutionsRequest,
  requests: readonly number[],
): Resolutions {
  const { hashes, range, isHeatmap, widthPixels, grainSeconds } = request;
  const chosen = choicesFor(range, grainSeconds).find((each) => each === request.chosenSeconds);
  const secondsFor = (count: number, grain: number): number =>
    chosen ?? resolutionFor(Math.max(1, range.until - range.from), count, widthPixels, grain);
  const countResolution = secondsFor(Infinity, grainSeconds);
  // The edges of a band are those of single endpoints.
  const parts = hasBand(hashes) && !isHeatmap ? hashes.length : 1;
  const finest = Math.min(...requests.map((count) => secondsFor(count / parts, grainSeconds)));
  if (requests.length === 1) {
    const lineResolutions = hasLines(hashes) ? hashes.map(() => finest) : [];
    return { resolution: finest, countResolution, lineResolutions };
  }
  // All lines stand on the grid of the finest.
  const lineResolutions = requests.map((count) => secondsFor(count, finest));
  return { resolution: countResolution, countResolution, lineResolutions };
}

/** More points than these are no more to be told apart. */
const POINTS_MAX = 3600;

/** The lengths of points that can be chosen for a range, in seconds. */
export function choicesFor({ from, until }: Range, grainSeconds: number): readonly number[] {
  return RESOLUTIONS.filter(
    (seconds) =>
      seconds % grainSeconds === 0 &&
      (until - from) / seconds <= POINTS_MAX &&
      until - from >= 2 * seconds,
  );
}

/** The length of points that the address names. */
export function chosenSecondsOf(parameters: ReadonlyMap<string, string>): number | undefined {
  const text = parameters.get("resolution");
  return RESOLUTIONS.find((seconds) => String(seconds) === text);
}

/** Seconds of a point of response times: of the finest line. */
export function timeResolution({ resolution, lineResolutions }: Resolutions): number {
  return lineResolutions.length === 0 ? resolution : Math.min(...lineResolutions);
}

/** How long points are, in words: `5 s per point`, `2 s per point, p95 10 to 60 s`. */
export function pointsText({ resolution, countResolution, lineResolutions }: Resolutions): string {
  const times = lineResolutions.length === 0 ? [resolution] : lineResolutions;
  const [least, most] = [Math.min(...times), Math.max(...times)];
  const counts = `${countResolution} s per point`;
  if (most === countResolution) return counts;
  return `${counts}, p95 ${least === most ? most : `${least} to ${most}`} s`;
}
