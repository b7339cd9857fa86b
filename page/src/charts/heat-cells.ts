/** Heatmap cells: their colours, and the cell under the cursor. */

import type { Heatmap } from "../api/figures.ts";

/** Ramp position of the cell with the fewest requests: even one must be visible. */
const PLACE_MIN = 0.18;

/** Columns that overlap a half-open range of seconds. */
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

/** Requests in the fullest cell. */
export function fullestCell({ cells }: Heatmap): number {
  let most = 0;
  for (const column of cells) for (const [, requests] of column) most = Math.max(most, requests);
  return most;
}

/** Ramp position, 0 to 1, by square root: shows both body and tail. */
export function placeOnRamp(requests: number, most: number): number {
  return Math.max(PLACE_MIN, Math.sqrt(requests / most));
}

/** `levels` colours between the stops of a ramp (`rgb(r, g, b)`). */
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

/** What is at one place of the heatmap. */
export interface Cell {
  /** Seconds, from and to. */
  readonly range: readonly [number, number];
  readonly requests: number;
  /** All requests of the column. */
  readonly all: number;
  /** Share of the column's requests slower than the cell. */
  readonly slower: number;
}

/** The cell for a response time in the column that begins at `second`. */
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

/** Rows below are narrower than a millisecond; in seconds. */
const NARROW_ROWS_END = 0.00999;
/** Relative error of stored response times. */
const PRECISION = 1.002;

/**
 * The heatmap with one row per millisecond below 10 ms, if all times there are whole milliseconds. Narrower
 * rows would suggest times that never occur.
 */
export function withWholeMilliseconds(heatmap: Heatmap): Heatmap {
  const { rows, cells } = heatmap;
  const end = rows.findIndex((floor) => floor > NARROW_ROWS_END);
  const isNarrow = (row: number): boolean => row < end && (rows[row] ?? 0) > 0;
  const isWhole = cells.every((column) =>
    column.every(([row]) => !isNarrow(row) || holdsWhole(rows[row] ?? 0, rows[row + 1] ?? 0)),
  );
  if (end <= 0 || !isWhole) return heatmap;
  const floors = rows.map((floor, row) =>
    isNarrow(row) ? millisecondIn(floor, rows[row + 1] ?? 0) / 1000 : floor,
  );
  const merged = [...new Set(floors)].toSorted((left, right) => left - right);
  const placeOf = floors.map((floor) => merged.indexOf(floor));
  return {
    ...heatmap,
    rows: merged,
    cells: cells.map((column) => {
      const counts = new Map<number, number>();
      for (const [row, requests] of column) {
        const place = placeOf[row] ?? 0;
        counts.set(place, (counts.get(place) ?? 0) + requests);
      }
      return [...counts];
    }),
  };
}

/** Whether a whole millisecond lies between two times, within the stored precision. */
function holdsWhole(from: number, to: number): boolean {
  return Math.floor(to * 1000 * PRECISION) >= (from * 1000) / PRECISION;
}

/** The whole millisecond nearest to the middle of a row. */
function millisecondIn(from: number, to: number): number {
  return Math.max(1, Math.round(Math.sqrt(from * to) * 1000));
}
