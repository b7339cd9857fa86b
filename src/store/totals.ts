/** Points of endpoints added up over time, for figures that need no seconds. */

import { lowerBound } from "../model/columns.ts";
import type { DataPoints } from "../model/data-points.ts";
import { UserError } from "../model/errors.ts";
import { mergePoints } from "../model/merge-points.ts";
import type { NumberedPoints } from "./numbered-points.ts";
import { viewPoints } from "./series.ts";

/** What a column of windows holds. */
const WINDOW_SECONDS_MAX = 65_535;
/** 2^6 endpoints are merged at once: some milliseconds. */
const SLICE_BITS = 6;
const PARTS_MAX = 4;

/**
 * Merges the points of each endpoint within 18 hours into one, from their first second to their last. Points without a timestamp
 * stay apart, and outcomes are left out. Seconds whose sums would be too large together are kept.
 */
export function withoutSeconds(parts: readonly DataPoints[]): DataPoints {
  const all = mergePoints(parts.map((points) => ({ ...points, outcomes: undefined })));
  const second = all.second.slice();
  const windowSeconds = new Uint16Array(second.length);
  let first = 0;
  for (let point = 0; point < second.length; point++) {
    const until = (all.second[point] as number) + (all.windowSeconds?.[point] ?? 1);
    const isSame = all.endpoint[point] === all.endpoint[first] && second[first] !== 0;
    if (!isSame || until - (second[first] as number) > WINDOW_SECONDS_MAX) first = point;
    second[point] = second[first] as number;
    windowSeconds[point] = until - (second[point] as number);
  }
  try {
    return mergePoints([{ ...all, second, windowSeconds }]);
  } catch (error) {
    if (error instanceof UserError && error.code === "sum-too-large") return all;
    throw error;
  }
}

/** A change of the visible data or of attributes of a load test. */
export interface Change {
  readonly loadTest: number;
  /** Its revisions. */
  readonly before: number;
  readonly after: number;
  /** Whether it had no data before. */
  readonly isFirst: boolean;
  /** That were added; only valid while they are noted. */
  readonly points?: NumberedPoints | undefined;
}

/** Adds points in small steps, so that other work can run between them. */
export class Totals {
  readonly #slices = new Map<number, readonly DataPoints[]>();

  /** Adds points in order of their endpoints. They are not changed, nor may be later. */
  add(points: DataPoints): void {
    const { endpoint } = points;
    for (let from = 0; from < endpoint.length;) {
      const slice = (endpoint[from] as number) >>> SLICE_BITS;
      const until = lowerBound(endpoint, (slice + 1) * 2 ** SLICE_BITS);
      const parts = this.#slices.get(slice) ?? [];
      this.#slices.set(slice, [...parts, viewPoints(points, from, until)]);
      from = until;
    }
  }

  /** Call after each `add`; other work may run wherever it yields, but nothing may be added. */
  *tidy(): Generator<void> {
    for (const [slice, parts] of this.#slices) {
      if (parts.length <= PARTS_MAX) continue;
      this.#slices.set(slice, [withoutSeconds(parts)]);
      yield;
    }
  }

  /** Yields all points, as `withoutSeconds` merges them, ascending by endpoint. */
  *all(): Generator<DataPoints> {
    const slices = [...this.#slices].toSorted(([left], [right]) => left - right);
    for (const [, parts] of slices) yield withoutSeconds(parts);
  }
}
