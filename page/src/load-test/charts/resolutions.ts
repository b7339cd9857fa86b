/** The length of chart points. */

import { afterStart } from "../../format/times.ts";
import { type DrawnLine, hasBand } from "../endpoints/endpoint-lines.ts";
import type { Range } from "../scope/range.ts";
import { resolutionFor, RESOLUTIONS } from "../scope/scope.ts";

/** Seconds of a point. */
export interface Resolutions {
  /** Of overall figures: percentiles and heatmaps. */
  readonly resolution: number;
  /** Of requests, failures and bytes: short points do not make counts noisier. */
  readonly countResolution: number;
  /** Of each line; empty if there are none. */
  readonly lineResolutions: readonly number[];
}

export interface ResolutionsRequest {
  readonly hashes: readonly string[];
  readonly lines: readonly DrawnLine[];
  readonly range: Range;
  readonly isHeatmap: boolean;
  /** Length of every point in seconds, if chosen by the user. */
  readonly chosenSeconds: number | undefined;
  /** Width of the range in pixels. */
  readonly widthPixels: number;
  /** Points are multiples of this. */
  readonly grainSeconds: number;
}

/** Resolutions for a number of requests: overall, or of each line. */
export function resolutionsOf(
  request: ResolutionsRequest,
  requests: readonly number[],
): Resolutions {
  const { hashes, lines, range, isHeatmap, widthPixels, grainSeconds } = request;
  const chosen = choicesFor(range, grainSeconds).find((each) => each === request.chosenSeconds);
  const secondsFor = (count: number, grain: number): number =>
    chosen ?? resolutionFor(Math.max(1, range.until - range.from), count, widthPixels, grain);
  const countResolution = secondsFor(Infinity, grainSeconds);
  // The edges of a band belong to single endpoints.
  const parts = hasBand(hashes) && !isHeatmap ? hashes.length : 1;
  const finest = Math.min(...requests.map((count) => secondsFor(count / parts, grainSeconds)));
  if (requests.length === 1) {
    const lineResolutions = lines.map(() => finest);
    return { resolution: finest, countResolution, lineResolutions };
  }
  // All lines use the finest one's grid.
  const lineResolutions = requests.map((count) => secondsFor(count, finest));
  return { resolution: countResolution, countResolution, lineResolutions };
}

/** More points cannot be distinguished. */
const POINTS_MAX = 3600;

/** Point lengths to choose from for a range, in seconds. */
export function choicesFor({ from, until }: Range, grainSeconds: number): readonly number[] {
  return RESOLUTIONS.filter(
    (seconds) =>
      seconds % grainSeconds === 0 &&
      (until - from) / seconds <= POINTS_MAX &&
      until - from >= 2 * seconds,
  );
}

/** The point length in the URL. */
export function chosenSecondsOf(parameters: ReadonlyMap<string, string>): number | undefined {
  const text = parameters.get("resolution");
  return RESOLUTIONS.find((seconds) => String(seconds) === text);
}

/** Point length of response times in seconds: that of the finest line. */
export function timeResolution({ resolution, lineResolutions }: Resolutions): number {
  return lineResolutions.length === 0 ? resolution : Math.min(...lineResolutions);
}

/** Point lengths in words: `5 s per point`, `2 s per point, p95 10 s to 1 min`. */
export function pointsText({ resolution, countResolution, lineResolutions }: Resolutions): string {
  const times = lineResolutions.length === 0 ? [resolution] : lineResolutions;
  const [least, most] = [Math.min(...times), Math.max(...times)];
  const counts = `${afterStart(countResolution)} per point`;
  if (most === countResolution) return counts;
  const from = least === most ? "" : `${afterStart(least)} to `;
  return `${counts}, p95 ${from}${afterStart(most)}`;
}
