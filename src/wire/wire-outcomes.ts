import type { Outcomes, SeriesColumns } from "../model/data-points.ts";
import {
  bucketsOf,
  distributedOf,
  isMixed,
  type OutcomeTimes,
  outcomeTimes,
  timedFailedOf,
  timedOf,
} from "../model/outcomes.ts";
import { badBatch } from "./batch-columns.ts";
import { isWhole } from "./wire-measures.ts";

export function base64OfOutcomes({ point, failed, ...passed }: Outcomes): string {
  const { bucketsFrom, ...ofFailed } = failed;
  const size = point.map((_, at) => (bucketsFrom[at + 1] ?? 0) - (bucketsFrom[at] ?? 0));
  const given = { point, size, ...passed, ...ofFailed };
  const [points, buckets] = [point.length, failed.bucket.length];
  const bytes = new Uint8Array(bytesOf(points, buckets));
  new Uint32Array(bytes.buffer, 0, 2).set([points, buckets]);
  for (const [name, column] of Object.entries(columnsAt(bytes.buffer, points, buckets))) {
    column.set(given[name as keyof typeof given]);
  }
  return Buffer.from(bytes.buffer).toString("base64");
}

/** Reads the member `outcomes` of a head. Throws `bad-batch`. */
export function outcomesIn(base64: string, points: SeriesColumns): Outcomes {
  const outcomes = decoded(Buffer.from(base64, "base64"));
  if (outcomes === undefined) throw badBatch("outcomes of its head: expected whole columns");
  for (const [entry, point] of outcomes.point.entries()) {
    const before = outcomes.point[entry - 1] ?? -1;
    if (point <= before || !isMixed(points, point) || !fits(points, point, outcomes, entry)) {
      throw badBatch(
        `outcomes of point ${point}: expected passed and failed times that make it up`,
      );
    }
  }
  return outcomes;
}

/** `undefined` if the bytes are not those of whole columns. */
function decoded(bytes: Uint8Array): Outcomes | undefined {
  if (bytes.length < HEAD_BYTES) return undefined;
  const { buffer } = new Uint8Array(bytes);
  const [points = 0, buckets = 0] = new Uint32Array(buffer, 0, 2);
  if (bytes.length !== bytesOf(points, buckets)) return undefined;
  const { size, ...columns } = columnsAt(buffer, points, buckets);
  const bucketsFrom = new Uint32Array(points + 1);
  for (let at = 0; at < points; at++) {
    bucketsFrom[at + 1] = Math.min(buckets, (bucketsFrom[at] as number) + (size[at] as number));
  }
  const { point, passedMinMicros, passedMaxMicros, ...failed } = columns;
  return { point, passedMinMicros, passedMaxMicros, failed: { ...failed, bucketsFrom } };
}

const HEAD_BYTES = 8;

function bytesOf(points: number, buckets: number): number {
  return HEAD_BYTES + 40 * points + 10 * buckets;
}

/** After the two counts, widest alignment first. */
function columnsAt(buffer: ArrayBuffer, points: number, buckets: number) {
  let next = HEAD_BYTES;
  const place = (count: number, width: number): [ArrayBuffer, number, number] => {
    const from = next;
    next += count * width;
    return [buffer, from, count];
  };
  return {
    passedMinMicros: new Float64Array(...place(points, 8)),
    passedMaxMicros: new Float64Array(...place(points, 8)),
    minMicros: new Float64Array(...place(points, 8)),
    maxMicros: new Float64Array(...place(points, 8)),
    bucketCount: new Float64Array(...place(buckets, 8)),
    point: new Uint32Array(...place(points, 4)),
    size: new Uint32Array(...place(points, 4)),
    bucket: new Uint16Array(...place(buckets, 2)),
  };
}

function fits(points: SeriesColumns, point: number, outcomes: Outcomes, entry: number): boolean {
  const times = outcomeTimes(outcomes, entry);
  const { passedMin, passedMax, failedMin, failedMax } = times;
  return (
    distributedOf(points, point) === timedOf(points, point) &&
    [passedMin, passedMax, failedMin, failedMax].every((micros) => isWhole(micros, 0)) &&
    passedMin <= passedMax &&
    failedMin <= failedMax &&
    Math.min(passedMin, failedMin) === points.minMicros[point] &&
    Math.max(passedMax, failedMax) === points.maxMicros[point] &&
    areWithin(points, point, times)
  );
}

/** Whether the histogram has every failed request with a time, and each of them is in that of all requests. */
function areWithin(points: SeriesColumns, point: number, { buckets }: OutcomeTimes): boolean {
  const all = new Map(bucketsOf(points, point));
  let [failed, last] = [0, -1];
  for (const [bucket, count] of buckets) {
    if (bucket <= last || !(count >= 1) || count > (all.get(bucket) ?? 0)) return false;
    failed += count;
    last = bucket;
  }
  return failed === timedFailedOf(points, point);
}
