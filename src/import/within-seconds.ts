import type { MeasurementBatch } from "../model/data-points.ts";
import { keepRows, measuresWithin } from "../model/measures/select-measures.ts";
import type { SecondRange } from "../model/second-range.ts";
import { keptPoints } from "./without-labels.ts";

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
    points: keptPoints(points, ofPoints),
    failures: { ...failures, counts: keepRows(failures.counts, ofFailures) },
    users: { ...users, counts: keepRows(users.counts, ofUsers) },
    measures,
  };
}

function keptRows(seconds: Uint32Array, { from, until }: SecondRange): Uint32Array {
  return seconds.map((second) => Number(second >= from && second < until));
}
