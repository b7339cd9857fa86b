/** Cells of a heatmap: which colour they have, and what stands under the cursor. */

import type { Heatmap } from "../api/figures.ts";

/** Place on the ramp of the cell with the fewest requests: one alone has to be seen. */
const PLACE_MIN = 0.18;

/** The columns that lie in a range of seconds, half open, if only in part. */
export function columnsWithin(heatmap: Heatmap, from: number, until: number): Heatmap {
  const { labels, cells, resolution } = heatmap;
  const isSeen = (index: number): boolean => {
    const begin = labels[index] ?? 0;
    return begin < until && begin + resolution > from;
  };
  if (labels.every((_, index) => isSeen(index))) return heatmap;
  return {
    ...heatmap,
    labels: labels.filter((_, index) => isSeen(index)),
    cells: cells.filter((_, index) => isSeen(index)),
  };
}

/** The requests of the fullest cell. */
export function fullestCell({ cells }: Heatmap): number {
  let most = 0;
  for (const column of cells) for (const [, requests] of column) most = Math.max(most, requests);
  return most;
}

/** Place on the ramp, 0 to 1: by the square root, which shows body and tail. */
export function placeOnRamp(requests: number, most: number): number {
  return Math.max(PLACE_MIN, Math.sqrt(requests / most));
}

/** Colours between the stops of a ramp (`rgb(r, g, b)`), so many in all. */
export function rampOf(stops: readonly string[], levels: number): string[] {
  const channels = stops.map((stop) => (stop.match(/\d+/g) ?? []).map(Number));
  return Array.from({ length: levels }, (_, level) => {
    const place = (level / (levels - 1)) * (stops.length - 1);
    const low = Math.min(Math.floor(place), stops.length - 2);
    const mixed = [0, 1, 2].map((channel) => {
      const [from = 0, to = 0] = [channels[low]?.[channel], channels[low + 1]?.[channel]];
      return Math.round(from + (to - from) * (place - low));
    });
    return `rgb(${mixed.join(" ")})`;
  });
}

/** What is at a place of the heatmap. */
export interface Cell {
  /** Seconds, from and to. */
  readonly range: readonly [number, number];
  readonly requests: number;
  /** All requests of the column. */
  readonly all: number;
  /** Share of the column's requests that took longer than the cell. */
  readonly slower: number;
}

/** The cell of the column that begins at `second` into which a response time falls. */
export function cellAt(heatmap: Heatmap, second: number, time: number): Cell | undefined {
  const column = heatmap.cells[heatmap.labels.indexOf(second)];
  const row = heatmap.rows.findLastIndex((floor) => floor <= time);
  const [from, to] = [heatmap.rows[row], heatmap.rows[row + 1]];
  if (column === undefined || from === undefined || to === undefined) return undefined;
  const all = column.reduce((sum, [, requests]) => sum + requests, 0);
  const slower = column.reduce((sum, [at, requests]) => sum + (at > row ? requests : 0), 0);
  const requests = column.find(([at]) => at === row)?.[1] ?? 0;
  return { range: [from, to], requests, all, slower: slower / all };
}
