import { BUCKET_COUNT, bucketFloor, bucketOf } from "./buckets/bucket-layout.ts";
import type { DistributionColumns } from "./data-points.ts";

/** `none`: no request has a response time. `unknown`: the source does not record the extremes. */
export const EXTREMES = ["known", "none", "unknown"] as const;

/** Encodings of minimum and maximum for each state; merging preserves them. */
export const BOUNDS = {
  none: { min: Infinity, max: -Infinity },
  unknown: { min: -Infinity, max: Infinity },
} as const;

/** Floor of each bucket, and where the last one ends: computed once, when first used. */
let floors: Float64Array | undefined;

function boundsOf(bucket: number): { readonly floor: number; readonly width: number } {
  floors ??= Float64Array.from({ length: BUCKET_COUNT + 1 }, (_, each) => bucketFloor(each));
  const floor = floors[bucket] as number;
  return { floor, width: (floors[bucket + 1] as number) - floor };
}

/** Returns the middle of `bucket`: between two values, unless it holds only one. */
export function bucketMiddle(bucket: number): number {
  const { floor, width } = boundsOf(bucket);
  return floor + (width === 1 ? 0 : Math.ceil(width / 2) - 0.5);
}

/** Returns the rank (from 1) of quantile `q` among `total` values. */
export function rankOf(q: number, total: number): number {
  const wanted = q * total;
  // The product of doubles is slightly too large for 0.07 of 100.
  const nearest = Math.round(wanted);
  const isWhole = Math.abs(wanted - nearest) <= wanted * 2 ** -50;
  return Math.max(1, isWhole ? nearest : Math.ceil(wanted));
}

/** The value of a `bucket`: its middle within the extremes, or its only millisecond if all values are whole ones. */
export function valueIn(
  bucket: number,
  { minMicros, maxMicros, isWholeMillis }: ExactTimes,
): number {
  // Never a whole millisecond, by which `possibleMicros` knows exact values.
  const { floor, width } = boundsOf(bucket);
  const middle = floor + Math.floor((width - 1) / 2);
  const value = (isWholeMillis ? onlyMillisecondIn(bucket) : undefined) ?? middle;
  return Math.min(maxMicros, Math.max(minMicros, value));
}

/** Returns the exact values that a quantile reported as `micros` can have: one bucket, or `micros` alone. */
export function possibleMicros(micros: number): { readonly least: number; readonly most: number } {
  const bucket = bucketOf(micros);
  // Not a middle, so this one is exact.
  if (onlyMillisecondIn(bucket) === micros) return { least: micros, most: micros };
  const { floor, width } = boundsOf(bucket);
  return { least: floor, most: floor + width - 1 };
}

/** Exactly known properties of the values of a histogram. */
export interface ExactTimes {
  readonly minMicros: number;
  readonly maxMicros: number;
  readonly isWholeMillis: boolean;
}

/**
 * Takes the values of a histogram for whole milliseconds if their sums and extremes are, and one lies in each of its buckets. None of
 * this depends on how the values were grouped.
 */
export function exactTimesOf(
  { minMicros, maxMicros }: Omit<ExactTimes, "isWholeMillis">,
  sums: readonly number[],
  doBucketsHoldMilliseconds: () => boolean,
): ExactTimes {
  const areWhole = [minMicros, maxMicros, ...sums].every((each) => each % MICROS_PER_MILLI === 0);
  return { minMicros, maxMicros, isWholeMillis: areWhole && doBucketsHoldMilliseconds() };
}

const MICROS_PER_MILLI = 1000;

let withMillisecond: Uint8Array | undefined;

/** Returns 1 for each bucket in which a whole millisecond lies. */
export function bucketsWithMillisecond(): Uint8Array {
  withMillisecond ??= Uint8Array.from({ length: BUCKET_COUNT }, (_, bucket) => {
    const { floor, width } = boundsOf(bucket);
    return firstMillisecondFrom(floor) < floor + width ? 1 : 0;
  });
  return withMillisecond;
}

/** Whether a whole millisecond lies in each of the buckets `[from, until)`. */
export function doHoldMilliseconds(bucket: Uint16Array, from: number, until: number): boolean {
  const holds = bucketsWithMillisecond();
  for (let entry = from; entry < until; entry++) {
    if (holds[bucket[entry] as number] !== 1) return false;
  }
  return true;
}

/** In microseconds; `undefined` unless exactly one whole millisecond lies in `bucket`. */
function onlyMillisecondIn(bucket: number): number | undefined {
  const { floor, width } = boundsOf(bucket);
  const first = firstMillisecondFrom(floor);
  const isOnly = first < floor + width && first + MICROS_PER_MILLI >= floor + width;
  return isOnly ? first : undefined;
}

function firstMillisecondFrom(micros: number): number {
  return Math.ceil(micros / MICROS_PER_MILLI) * MICROS_PER_MILLI;
}

/** Minimum and maximum of points without response times, or whose source does not record them. */
type ExtremesState = (typeof EXTREMES)[number];

type Extremes = Pick<DistributionColumns, "minMicros" | "maxMicros">;

export function extremesState({ minMicros }: Extremes, point: number): ExtremesState {
  const min = minMicros[point] as number;
  if (Number.isFinite(min)) return "known";
  return min === BOUNDS.none.min ? "none" : "unknown";
}
