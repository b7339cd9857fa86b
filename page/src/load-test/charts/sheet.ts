/** Data over time: responses that belong together, and the series to draw. */

import type { Heatmap, Scope, Series } from "../../api/figures.ts";
import type { DrawnLine } from "../endpoints/endpoint-lines.ts";
import type { Range } from "../scope/range.ts";
import type { Resolutions } from "./resolutions.ts";

export interface SheetRequest extends Resolutions {
  readonly scope: Scope;
  readonly range: Range;
  /** Changes when new data arrive. */
  readonly version: number;
  readonly isHeatmap: boolean;
  /** The lines of the chart; empty: one line for all endpoints together. */
  readonly lines: readonly DrawnLine[];
}

export interface Sheet extends SheetRequest {
  /** Finest resolution of all sources in seconds, as far as known: often 1. */
  readonly recordedSeconds: number;
  readonly merged: Series;
  /** The same in points of `countResolution`. */
  readonly counts: Series;
  /** One per line, if there are any, with its key as hash; lengths differ. */
  readonly each: readonly Series[] | undefined;
  /** Overall or of each line, if requested. */
  readonly heatmaps: readonly Heatmap[];
}

/** Whether a sheet contains everything requested. */
export function answers(sheet: Sheet, request: SheetRequest): boolean {
  const { from, until } = request.range;
  // A point that the range cuts must be requested.
  const { resolution, countResolution, lineResolutions } = request;
  const isWhole = (second: number): boolean =>
    [resolution, countResolution, ...lineResolutions].every((each) => second % each === 0);
  return (
    isOfSame(sheet, request) &&
    sheet.version === request.version &&
    sheet.resolution === resolution &&
    sheet.countResolution === countResolution &&
    sheet.lineResolutions.join() === lineResolutions.join() &&
    (sheet.isHeatmap || !request.isHeatmap) &&
    covers(sheet, request.range) &&
    (sheet.range.from === from || isWhole(from)) &&
    (sheet.range.until === until || isWhole(until))
  );
}

/**
 * The sheet to draw, newest first: one that answers the request, otherwise the nearest until the answer
 * arrives.
 */
export function bestSheet(sheets: readonly Sheet[], request: SheetRequest): Sheet | undefined {
  const same = sheets.filter((sheet) => isOfSame(sheet, request));
  const finest = same
    .filter((sheet) => covers(sheet, request.range) && sheet.isHeatmap === request.isHeatmap)
    .toSorted((left, right) => right.version - left.version || left.resolution - right.resolution);
  return sheets.find((sheet) => answers(sheet, request)) ?? finest[0] ?? same[0] ?? sheets[0];
}

/**
 * Requests in a range, as far as a sheet of the same scope knows them: of each line,
 * otherwise overall. `Infinity` if percentiles are not computed: more requests then do not make a point
 * better.
 */
export function requestsIn(
  sheets: readonly Sheet[],
  request: Pick<SheetRequest, "scope" | "range" | "isHeatmap" | "lines">,
): readonly number[] | undefined {
  const { range, isHeatmap, lines } = request;
  const sheet = sheets.find((each) => isOfSame(each, request) && covers(each, range));
  if (sheet === undefined) return undefined;
  const { each, counts } = sheet;
  if (each === undefined || isHeatmap) return [requestsOf(counts, range)];
  return lines.map(({ key }) => {
    const own = each.find((series) => series.hash === key);
    return own === undefined ? 0 : requestsOf(own, range);
  });
}

function requestsOf({ labels, count, percentileOrigin }: Series, { from, until }: Range): number {
  if (percentileOrigin !== "computed" && labels.length > 0) return Infinity;
  return labels.reduce((sum, second, point) => {
    const isIn = second >= from && second < until;
    return isIn ? sum + (count[point] ?? 0) : sum;
  }, 0);
}

/** Shortest useful point length in seconds: the sources' own resolution; 1 if unknown. */
export function grainIn(sheets: readonly Sheet[], request: Subject): number {
  const grains = sheets
    .filter((sheet) => isOfSame(sheet, request))
    .flatMap(({ recordedSeconds, resolution, merged: { windows = [] } }) => {
      const least = windows.reduce((one, other) => Math.min(one, other), Infinity);
      // A window is never reported as shorter than the requested points.
      return least > resolution && windows.length > 0
        ? [recordedSeconds, least]
        : [recordedSeconds];
    });
  return Math.max(1, ...grains);
}

/**
 * The seconds a sheet covers: whole windows if sources are coarser, but none outside `whole`, the load test.
 */
export function secondsOf({ range: { from, until }, recordedSeconds }: Sheet, whole: Range): Range {
  const first = Math.min(from, whole.from);
  const end = Math.max(until, whole.until);
  return {
    from: Math.max(first, from - (from % recordedSeconds)),
    until: Math.min(end, Math.ceil(until / recordedSeconds) * recordedSeconds),
  };
}

type Subject = Pick<SheetRequest, "scope" | "lines">;

/** Whether both select the same requests, in any range, and draw the same lines. */
export function isOfSame(one: Subject, other: Subject): boolean {
  return subjectOf(one) === subjectOf(other);
}

function subjectOf({ scope, lines }: Subject): string {
  const { id, filter, hashes, outcome, where, by } = scope;
  const which = hashes.length === 0 ? filter : hashes;
  return JSON.stringify([id, outcome, which, where, by, lines.map(({ key }) => key)]);
}

function covers({ range }: Sheet, { from, until }: Range): boolean {
  return range.from <= from && range.until >= until;
}
