import type { MeasurementBatch } from "../model/data-points.ts";
import { keepRows, keptMeasures, measuresWithin } from "../model/measures/select-measures.ts";
import { type SecondRange, pickPoints } from "../model/columns.ts";
import {
  columnsOf,
  renumberReported,
  type ReportedPercentiles,
  rowsOf,
} from "../model/reported-percentiles.ts";

/** The remaining measurements, and the number of requests removed. */
export interface RestOfBatch {
  readonly rest: MeasurementBatch;
  readonly requests: number;
}

/** Removes all that is of some labels; what has no label stays. */
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
      reported:
        measured.reported &&
        renumberReported(measured.reported, (label) => (isKept[label] ? label : undefined)),
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

/** What a source has in a range of seconds. */
export class SourcePart {
  readonly #range: SecondRange;
  /** Whether no request so far is outside. */
  #isWhole = true;

  constructor(range: SecondRange) {
    this.#range = range;
  }

  /** Returns the measurements of the next batch within the range; `undefined` if there are none. */
  take(measured: MeasurementBatch): MeasurementBatch | undefined {
    const range = this.#range;
    const { points, failures, users } = measured;
    const ofPoints = keptRows(points.second, range);
    const ofFailures = keptRows(failures.counts.second, range);
    const ofUsers = keptRows(users.counts.second, range);
    const measures = measured.measures && measuresWithin(measured.measures, range, true);
    this.#isWhole &&= !ofPoints.includes(0);
    const reported = measured.reported && this.#reportedOf(measured.reported);
    const isEmpty =
      ![ofPoints, ofFailures, ofUsers].some((kept) => kept.includes(1)) &&
      [measures?.sums.second, reported?.second].every((column) => (column?.length ?? 0) === 0);
    if (isEmpty) return undefined;
    return {
      ...measured,
      points: pickPoints(points, placesOf(ofPoints)),
      failures: { ...failures, counts: keepRows(failures.counts, ofFailures) },
      users: { ...users, counts: keepRows(users.counts, ofUsers) },
      measures,
      reported,
    };
  }

  /** Tools report those of the whole run at its end: they are not those of a part. */
  #reportedOf(reported: ReportedPercentiles): ReportedPercentiles {
    const { from, until } = this.#range;
    const kept = rowsOf(reported).filter(({ second, windowSeconds }) =>
      windowSeconds === 0 ? this.#isWhole : second >= from && second < until,
    );
    return columnsOf(kept);
  }
}

function keptRows(seconds: Uint32Array, { from, until }: SecondRange): Uint32Array {
  return seconds.map((second) => Number(second >= from && second < until));
}

/** Indexes of the rows whose flag is 1. */
function placesOf(kept: Uint32Array): Uint32Array {
  return Uint32Array.from(kept.keys().filter((row) => kept[row] === 1));
}
