import { mapSums, type NumberColumn } from "../model/columns.ts";
import type { DataPoints, MeasurementBatch } from "../model/data-points.ts";
import { keepRows, keptMeasures } from "../model/measures/select-measures.ts";
import { moveOutcomes } from "../model/outcomes.ts";

/** The remaining measurements, and the number of requests removed. */
export interface RestOfBatch {
  readonly rest: MeasurementBatch;
  readonly requests: number;
}

/** Removes points, failures and measures of some labels; what has no label stays. */
export function withoutLabels(measured: MeasurementBatch, labels: readonly string[]): RestOfBatch {
  const { points, failures } = measured;
  const names = new Set(labels);
  const isKept = measured.labels.map((label) => !names.has(label));
  const kept = points.endpoint.map((label) => Number(isKept[label]));
  const counted = failures.counts.endpoint.map((label) => Number(isKept[label]));
  const counts = keepRows(failures.counts, counted);
  const left = points.requests.filter((_, point) => kept[point] === 0);
  return {
    rest: {
      ...measured,
      points: keptPoints(points, kept),
      failures: { ...failures, counts },
      measures:
        measured.measures &&
        keptMeasures(
          measured.measures,
          ({ label }) => label === undefined || isKept[label] === true,
        ),
    },
    requests: left.reduce((sum, each) => sum + each, 0),
  };
}

/** Per row 1 to keep it, 0 to remove it. */
type Kept = Uint32Array;

/** Returns the points whose `kept` is 1. */
export function keptPoints(points: DataPoints, kept: Kept): DataPoints {
  const { bucketsFrom } = points;
  const keptEntries = new Uint32Array(points.bucket.length);
  const from = [0];
  for (const [point, isKept] of kept.entries()) {
    const [first, end] = [bucketsFrom[point] as number, bucketsFrom[point + 1] as number];
    keptEntries.fill(isKept, first, end);
    if (isKept === 1) from.push((from.at(-1) as number) + end - first);
  }
  // A point moves by as many as were removed before it.
  const place = new Map<number, number>();
  if (points.outcomes)
    for (const [point, isKept] of kept.entries()) if (isKept) place.set(point, place.size);
  const outcomes = moveOutcomes(points.outcomes, (point) => place.get(point) ?? -1);
  return {
    ...(outcomes && { outcomes }),
    endpoint: keep(points.endpoint, kept),
    ...mapSums(points, (column) => keep(column, kept)),
    minMicros: keep(points.minMicros, kept),
    maxMicros: keep(points.maxMicros, kept),
    bucketsFrom: Uint32Array.from(from),
    bucket: keep(points.bucket, keptEntries),
    bucketCount: keep(points.bucketCount, keptEntries),
  };
}

function keep<Column extends NumberColumn>(column: Column, kept: Kept): Column {
  return column.filter((_, row) => kept[row] === 1) as Column;
}
