import type { DataPoints } from "../model/data-points.ts";
import { distributedOf, isMixed, OutcomesBuilder } from "../model/outcomes.ts";
import { createSampleBatch, type SampleBatch } from "../model/sample-batch.ts";
import type { SampleAggregator } from "./sample-aggregator.ts";

/** In use only within a call of `record`. */
const FAILED_ROWS = createSampleBatch();

/**
 * Aggregates failed rows apart, which are usually few: with the extremes of the passed ones, the outcomes of mixed
 * points follow.
 */
export class FailedTimes {
  readonly #aggregator: SampleAggregator;

  constructor(aggregator: SampleAggregator) {
    this.#aggregator = aggregator;
  }

  /** Adds the failed rows of `batch`, as rows that passed. */
  record({ label, second, elapsedMicros, requests, failedRequests, rows }: SampleBatch): void {
    const failed = FAILED_ROWS;
    failed.rows = 0;
    for (let row = 0; row < rows; row++) {
      if (failedRequests[row] === 0) continue;
      const at = failed.rows++;
      failed.label[at] = label[row] as number;
      failed.second[at] = second[row] as number;
      failed.elapsedMicros[at] = elapsedMicros[row] as number;
      // Of a row that stands for several requests no response time is known, whichever of them failed.
      failed.requests[at] = requests[row] as number;
    }
    if (failed.rows > 0) this.#aggregator.record(failed);
  }

  /**
   * Returns all points, given them with the extremes of passed requests, sorted by (endpoint, second) and unique,
   * and resets. Changes the columns.
   */
  completed(points: DataPoints): DataPoints {
    if (this.#aggregator.points === 0) return points;
    const failed = this.#aggregator.flush();
    const { minMicros, maxMicros } = points;
    const outcomes = new OutcomesBuilder();
    let point = 0;
    for (let own = 0; own < failed.second.length; own++) {
      while (
        points.endpoint[point] !== failed.endpoint[own] ||
        points.second[point] !== failed.second[own]
      ) {
        if (++point === points.second.length) throw new Error("BUG: failed rows without a point");
      }
      const [passedMin, passedMax] = [minMicros[point] as number, maxMicros[point] as number];
      const failedMin = failed.minMicros[own] as number;
      const failedMax = failed.maxMicros[own] as number;
      minMicros[point] = Math.min(passedMin, failedMin);
      maxMicros[point] = Math.max(passedMax, failedMax);
      if (!isMixed(points, point)) continue;
      // Some rows stand for several requests.
      if (distributedOf(points, point) !== points.requests[point]) continue;
      outcomes.addFailed(point, { passedMin, passedMax }, failed, own);
    }
    const known = outcomes.finish();
    return known === undefined ? points : { ...points, outcomes: known };
  }
}
