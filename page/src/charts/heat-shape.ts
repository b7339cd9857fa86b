/** Features of the overall distribution of a heatmap that lines hide. */

import type { Heatmap } from "../api/figures.ts";

export interface Mode {
  /** Middle of its fullest row, in seconds. */
  readonly near: number;
  /** Share of all requests. */
  readonly share: number;
}

/** Fewer requests have no reliable shape. */
const REQUESTS_MIN = 300;
/** A smaller share is a tail, not a mode. */
const SHARE_MIN = 0.1;
/** Largest height of a valley, relative to the lower of its two modes. */
const VALLEY_MAX = 0.25;
/** Rows between modes: half a decade. */
const ROWS_APART = 10;
/** Tools with millisecond precision leave rows below empty. */
const NEAR_MIN_SECONDS = 0.004;
/** Rows smoothed on each side, so that noise is not a mode. */
const SMOOTHED = 2;

/** The modes, fastest first; none if there are too few requests. */
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

/** Splits rows at valleys until there are none. */
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

/** Range of a wall, in seconds. */
export type Wall = readonly [from: number, until: number];

const WALL = { requestsMin: 20, shareMin: 0.003, rowsBelow: 5, ratioMin: 5 };

/** A row that many requests reach and none exceeds, as at a timeout. */
export function wallOf({ rows, cells }: Pick<Heatmap, "rows" | "cells">): Wall | undefined {
  const counts = countsOf(rows, cells);
  const row = counts.findLastIndex((count) => count > 0);
  const inRow = counts[row] ?? 0;
  const all = sum(counts, 0, counts.length);
  if (inRow < Math.max(WALL.requestsMin, WALL.shareMin * all) || row < WALL.rowsBelow) {
    return undefined;
  }
  const below = sum(counts, row - WALL.rowsBelow, row) / WALL.rowsBelow;
  // If there is only one mode, its upper end is not a wall.
  if (inRow < WALL.ratioMin * below || inRow > all / 2) return undefined;
  return [rows[row] ?? 0, rows[row + 1] ?? 0];
}

/** Requests per row. */
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
