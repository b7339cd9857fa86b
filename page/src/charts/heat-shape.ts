/** What the rows of a heatmap, all columns together, are shaped like: facts that lines hide. */

import type { Heatmap } from "../api/figures.ts";

/** A hump of the distribution. */
export interface Mode {
  /** Seconds: the middle of its fullest row. */
  readonly near: number;
  /** Of all requests. */
  readonly share: number;
}

/** Fewer requests have no shape. */
const REQUESTS_MIN = 300;
/** A hump with a smaller share is a tail. */
const SHARE_MIN = 0.1;
/** Of the lower one of two humps: what lies between them is at most so high. */
const VALLEY_MAX = 0.25;
/** Rows between humps: half a decade. */
const ROWS_APART = 10;
/** Tools that tell whole milliseconds leave rows empty below. */
const NEAR_MIN_SECONDS = 0.004;
/** Rows on both sides that are taken together, so that chance is no hump. */
const SMOOTHED = 2;

/** The humps, from fast to slow; none where there are too few requests to tell. */
export function modesOf({ rows, cells }: Pick<Heatmap, "rows" | "cells">): readonly Mode[] {
  const counts = countsOf(rows, cells);
  const all = sum(counts, 0, counts.length);
  if (all < REQUESTS_MIN) return [];
  const heights = counts.map((_, row) =>
    sum(counts, Math.max(0, row - SMOOTHED), Math.min(counts.length, row + SMOOTHED + 1)),
  );
  const parts = parted({ from: 0, until: counts.length }, heights, counts);
  const modes = parts.map(({ from, until }) => {
    const row = peakIn(heights, from, until);
    const near = Math.sqrt((rows[row] ?? 0) * (rows[row + 1] ?? 0));
    return { near, share: sum(counts, from, until) / all };
  });
  return modes.some(({ near }) => near < NEAR_MIN_SECONDS) ? [] : modes;
}

interface Part {
  readonly from: number;
  readonly until: number;
}

/** Rows parted at valleys, as long as there are any. */
function parted(part: Part, heights: readonly number[], counts: readonly number[]): Part[] {
  const all = sum(counts, 0, counts.length);
  const { from, until } = part;
  let best: { readonly row: number; readonly depth: number } | undefined;
  for (let row = from + 1; row < until; row++) {
    const [left, right] = [peakIn(heights, from, row), peakIn(heights, row, until)];
    const depth = (heights[row] ?? 0) / Math.min(heights[left] ?? 0, heights[right] ?? 0);
    const isDeep = depth <= (best?.depth ?? VALLEY_MAX);
    const isApart = right - left >= ROWS_APART;
    const least = Math.min(sum(counts, from, row), sum(counts, row, until));
    if (isDeep && isApart && least >= SHARE_MIN * all) best = { row, depth };
  }
  if (best === undefined) return [part];
  const { row } = best;
  return [
    ...parted({ from, until: row }, heights, counts),
    ...parted({ from: row, until }, heights, counts),
  ];
}

/** Seconds between which a wall stands. */
export type Wall = readonly [from: number, until: number];

const WALL = { requestsMin: 20, shareMin: 0.003, rowsBelow: 5, ratioMin: 5 };

/** A row that many requests reach and none goes beyond, as where a timeout is. */
export function wallOf({ rows, cells }: Pick<Heatmap, "rows" | "cells">): Wall | undefined {
  const counts = countsOf(rows, cells);
  const row = counts.findLastIndex((count) => count > 0);
  const inRow = counts[row] ?? 0;
  const all = sum(counts, 0, counts.length);
  if (inRow < Math.max(WALL.requestsMin, WALL.shareMin * all) || row < WALL.rowsBelow) {
    return undefined;
  }
  const below = sum(counts, row - WALL.rowsBelow, row) / WALL.rowsBelow;
  // Where all is one hump, its upper end is no wall.
  if (inRow < WALL.ratioMin * below || inRow > all / 2) return undefined;
  return [rows[row] ?? 0, rows[row + 1] ?? 0];
}

/** Requests of each row. */
function countsOf(rows: readonly number[], cells: Heatmap["cells"]): number[] {
  const counts = rows.slice(0, -1).map(() => 0);
  for (const column of cells) {
    for (const [row, requests] of column) counts[row] = (counts[row] ?? 0) + requests;
  }
  return counts;
}

function sum(counts: readonly number[], from: number, until: number): number {
  return counts.slice(from, until).reduce((total, count) => total + count, 0);
}

function peakIn(heights: readonly number[], from: number, until: number): number {
  let peak = from;
  for (let row = from; row < until; row++) {
    if ((heights[row] ?? 0) > (heights[peak] ?? 0)) peak = row;
  }
  return peak;
}
