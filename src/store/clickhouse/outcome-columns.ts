/**
 * Response times of passed and failed requests of mixed points (`model/outcomes.ts`). The row of a mixed point has
 * the histogram of its failed requests and, in `outcome_micros`, the least and largest time of passed requests,
 * then of failed ones. These columns are empty if the times are unknown, and in rows that are not mixed: their
 * times are those of all requests. Merged rows are known if their histograms hold every request.
 */

import type { DataPoints, Outcomes } from "../../model/data-points.ts";
import { areComplete, isMixed, OutcomesBuilder } from "../../model/outcomes.ts";
import type { NativeBlock } from "./native/native-block.ts";
import type { NativeBlockWriter } from "./native/native-writer.ts";
import { BOUND, type PointColumn } from "./measured-columns.ts";

export const OUTCOME_COLUMNS = [
  "failed_histogram.bucket",
  "failed_histogram.requests",
  "outcome_micros",
] as const;

const EXTREMES = ["passed_min", "passed_max", "failed_min", "failed_max"] as const;

type Extreme = (typeof EXTREMES)[number];

/** SQL over rows with requests: extremes as `a_passed_min` and so on, and `a_failed_histogram`. */
export function mergedOutcomes(column: PointColumn): readonly string[] {
  const [bucket, requests] = failedHistogram(column);
  return [...mergedExtremes(column), `sumMap(${bucket}, ${requests}) AS a_failed_histogram`];
}

/** Rows without requests have no extremes. */
export function mergedExtremes(column: PointColumn): readonly string[] {
  const extremes = extremesOfRow(column);
  return EXTREMES.map((name) => {
    const merge = name.endsWith("min") ? "minIf" : "maxIf";
    return `${merge}(${extremes[name]}, requests > 0) AS a_${name}`;
  });
}

/** SQL of the histogram of failed requests of a row: buckets and requests. */
export function failedHistogram(column: PointColumn): readonly [bucket: string, requests: string] {
  const choose = chooserOf(column);
  return [
    choose("emptyArrayUInt16()", column("histogram.bucket"), "failed_histogram.bucket"),
    choose("emptyArrayUInt64()", column("histogram.requests"), "failed_histogram.requests"),
  ];
}

function extremesOfRow(column: PointColumn): Readonly<Record<Extreme, string>> {
  const choose = chooserOf(column);
  const [min, max] = [column("min_micros"), column("max_micros")];
  const [zero, bound] = ["toUInt64(0)", `toUInt64(${BOUND})`];
  return {
    passed_min: choose(min, bound, stored(1, zero)),
    passed_max: choose(max, zero, stored(2, bound)),
    failed_min: choose(bound, min, stored(3, zero)),
    failed_max: choose(zero, max, stored(4, bound)),
  };
}

function stored(place: number, unknown: string): string {
  return `if(empty(outcome_micros), ${unknown}, outcome_micros[${place}])`;
}

type Chooser = (ifAllPassed: string, ifAllFailed: string, ifMixed: string) => string;

function chooserOf(column: PointColumn): Chooser {
  const failed = `(${column("failed_requests")} - ${column("untimed_failed_requests")})`;
  const timed = `(${column("requests")} - ${column("untimed_requests")})`;
  return (ifAllPassed, ifAllFailed, ifMixed) =>
    `multiIf(${failed} = 0, ${ifAllPassed}, ${failed} = ${timed}, ${ifAllFailed}, ${ifMixed})`;
}

/** SELECT list around `mergedOutcomes`. */
export function unfoldedOutcomes(): readonly string[] {
  return [
    "a_failed_histogram.1 AS a_failed_bucket",
    "a_failed_histogram.2 AS a_failed_bucket_requests",
    ...EXTREMES.map((name) => `a_${name}`),
  ];
}

/** SELECT list of merged rows. */
export function plainOutcomes(): readonly string[] {
  return [
    "failed_histogram.bucket AS a_failed_bucket",
    "failed_histogram.requests AS a_failed_bucket_requests",
    ...EXTREMES.map((name, place) => `outcome_micros[${place + 1}] AS a_${name}`),
  ];
}

/** SELECT list for `OUTCOME_COLUMNS`, around `mergedOutcomes` and merged sums. */
export function storedOutcomes(): readonly string[] {
  const choose = chooserOf((name) => `a_${name}`);
  const micros = EXTREMES.map((name) => `a_${name}`).join(", ");
  return [
    choose("emptyArrayUInt16()", "emptyArrayUInt16()", "a_failed_histogram.1"),
    choose("emptyArrayUInt64()", "emptyArrayUInt64()", "a_failed_histogram.2"),
    choose("emptyArrayUInt64()", "emptyArrayUInt64()", `[${micros}]`),
  ];
}

/** Returns the outcomes of the points that the rows of these blocks are. */
export function outcomesIn(
  blocks: readonly NativeBlock[],
  points: DataPoints,
): Outcomes | undefined {
  const builder = new OutcomesBuilder();
  let first = 0;
  for (const block of blocks) {
    addOutcomes(builder, block, points, first);
    first += block.rows;
  }
  return builder.finish();
}

/** The rows of the block are the points from `first` on. */
function addOutcomes(
  builder: OutcomesBuilder,
  block: NativeBlock,
  points: DataPoints,
  first: number,
): void {
  const rows = Array.from({ length: block.rows }, (_, row) => row);
  const mixed = rows.filter((row) => isMixed(points, first + row));
  if (mixed.length === 0) return;
  const buckets = block.arrays("a_failed_bucket");
  const { values: counts } = block.arrays("a_failed_bucket_requests");
  const [passedMin, passedMax, failedMin, failedMax] = EXTREMES.map((name) => {
    const target = new Float64Array(block.rows);
    block.copyNumbers(`a_${name}`, target, { at: 0, most: BOUND });
    return target.map((value) => (value === BOUND ? Infinity : value));
  }) as [Float64Array, Float64Array, Float64Array, Float64Array];
  for (const row of mixed) {
    const [from, until] = [buckets.from[row] as number, buckets.from[row + 1] as number];
    const times = {
      passedMin: passedMin[row] as number,
      passedMax: passedMax[row] as number,
      failedMin: failedMin[row] as number,
      failedMax: failedMax[row] as number,
      buckets: Array.from(
        buckets.values.subarray(from, until),
        (bucket, at) => [bucket, counts[from + at] as number] as const,
      ),
    };
    if (areComplete(points, first + row, times)) builder.add(first + row, times);
  }
}

/** The columns of rows under construction. */
export class OutcomeRows {
  readonly #bucket;
  readonly #requests;
  readonly #micros;

  constructor(block: NativeBlockWriter) {
    this.#bucket = block.arrays16("failed_histogram.bucket");
    this.#requests = block.arrays64("failed_histogram.requests");
    this.#micros = block.arrays64("outcome_micros");
  }

  /** Appends nothing if no outcomes are known. */
  append({ outcomes, second: { length } }: DataPoints): void {
    if (outcomes === undefined) return;
    const { point, passedMinMicros, passedMaxMicros, failed } = outcomes;
    const [bucketsFrom, microsFrom] = [new Uint32Array(length + 1), new Uint32Array(length + 1)];
    let entry = 0;
    for (let row = 0; row < length; row++) {
      if (point[entry] === row) entry += 1;
      bucketsFrom[row + 1] = failed.bucketsFrom[entry] as number;
      microsFrom[row + 1] = EXTREMES.length * entry;
    }
    const micros = new Float64Array(EXTREMES.length * point.length);
    for (let at = 0; at < point.length; at++) {
      micros[EXTREMES.length * at] = passedMinMicros[at] as number;
      micros[EXTREMES.length * at + 1] = passedMaxMicros[at] as number;
      micros[EXTREMES.length * at + 2] = failed.minMicros[at] as number;
      micros[EXTREMES.length * at + 3] = failed.maxMicros[at] as number;
    }
    this.#bucket.append(bucketsFrom, failed.bucket);
    this.#requests.append(bucketsFrom, failed.bucketCount);
    this.#micros.append(microsFrom, micros);
  }
}
