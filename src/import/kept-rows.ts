import type { MeasurementBatch } from "../model/data-points.ts";
import { keepRows, keptMeasures, measuresWithin } from "../model/measures/select-measures.ts";
import { type SecondRange, pickPoints } from "../model/columns.ts";

/** The remaining measurements, and the number of requests removed. */
export interface RestOfBatch {
  readonly rest: MeasurementBatch;
  readonly requests: number;
}

/** Removes points, failures, measures and samples of some labels; what has no label stays. */
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
      points: pickPoints(points, placesOf(kept)),
      failures: { ...failures, counts },
      samples: measured.samples?.filter(({ label }) => label === undefined || !names.has(label)),
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

/** Returns the measurements within a range of seconds; `undefined` if there are none. */
export function withinSeconds(
  measured: MeasurementBatch,
  range: SecondRange,
): MeasurementBatch | undefined {
  const { points, failures, users } = measured;
  const ofPoints = keptRows(points.second, range);
  const ofFailures = keptRows(failures.counts.second, range);
  const ofUsers = keptRows(users.counts.second, range);
  const measures = measured.measures && measuresWithin(measured.measures, range, true);
  const isEmpty =
    ![ofPoints, ofFailures, ofUsers].some((kept) => kept.includes(1)) &&
    (measures?.sums.second.length ?? 0) === 0;
  if (isEmpty) return undefined;
  return {
    ...measured,
    points: pickPoints(points, placesOf(ofPoints)),
    failures: { ...failures, counts: keepRows(failures.counts, ofFailures) },
    users: { ...users, counts: keepRows(users.counts, ofUsers) },
    measures,
  };
}

function keptRows(seconds: Uint32Array, { from, until }: SecondRange): Uint32Array {
  return seconds.map((second) => Number(second >= from && second < until));
}

/** Indexes of the rows whose flag is 1. */
function placesOf(kept: Uint32Array): Uint32Array {
  return Uint32Array.from(kept.keys().filter((row) => kept[row] === 1));
}
