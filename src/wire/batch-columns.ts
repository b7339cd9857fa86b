import { UserError } from "../model/errors.ts";

/** The columns of a batch on the wire, in their order (docs/internals/formats/batch.md). */

/** Row counts by kind; all follow from the head. */
export interface ColumnCounts {
  readonly points: number;
  readonly buckets: number;
  readonly failures: number;
  readonly users: number;
  /** Whether points have window lengths. */
  readonly windows: boolean;
  /** @default false */
  readonly untimed?: boolean | undefined;
}

/** Widest alignment first: no padding is needed. */
export interface BatchColumns {
  readonly requests: Float64Array;
  readonly elapsedMicros: Float64Array;
  readonly receivedBytes: Float64Array;
  readonly failedRequests: Float64Array;
  readonly failedElapsedMicros: Float64Array;
  readonly failedReceivedBytes: Float64Array;
  readonly minMicros: Float64Array;
  readonly maxMicros: Float64Array;
  readonly bucketCount: Float64Array;
  readonly failureRequests: Float64Array;
  readonly usersActive: Float64Array;
  readonly usersStarted: Float64Array;
  readonly usersEnded: Float64Array;
  readonly untimedRequests: Float64Array;
  readonly untimedFailedRequests: Float64Array;
  readonly endpoint: Uint32Array;
  readonly second: Uint32Array;
  readonly bucketsFrom: Uint32Array;
  readonly failureEndpoint: Uint32Array;
  readonly failureKind: Uint32Array;
  readonly failureSecond: Uint32Array;
  readonly userGenerator: Uint32Array;
  readonly userSecond: Uint32Array;
  readonly bucket: Uint16Array;
  readonly windowSeconds: Uint16Array;
}

export function columnBytes(counts: ColumnCounts): number {
  const { points, buckets, failures, users, windows, untimed = false } = counts;
  const doubles = (untimed ? 10 : 8) * points + buckets + failures + 3 * users;
  const words = 2 * points + (points + 1) + 3 * failures + 2 * users;
  const halves = buckets + (windows ? points : 0);
  return 8 * doubles + 4 * words + 2 * halves;
}

/** `at` is a multiple of 8. */
export function columnsAt(buffer: ArrayBuffer, at: number, counts: ColumnCounts): BatchColumns {
  const { points, buckets, failures, users, windows, untimed = false } = counts;
  let next = at;
  const place = (count: number, width: number): [ArrayBuffer, number, number] => {
    const from = next;
    next += count * width;
    return [buffer, from, count];
  };
  const doubles = (count: number): Float64Array => new Float64Array(...place(count, 8));
  const words = (count: number): Uint32Array => new Uint32Array(...place(count, 4));
  const halves = (count: number): Uint16Array => new Uint16Array(...place(count, 2));
  // In byte order.
  return {
    requests: doubles(points),
    elapsedMicros: doubles(points),
    receivedBytes: doubles(points),
    failedRequests: doubles(points),
    failedElapsedMicros: doubles(points),
    failedReceivedBytes: doubles(points),
    minMicros: doubles(points),
    maxMicros: doubles(points),
    bucketCount: doubles(buckets),
    failureRequests: doubles(failures),
    usersActive: doubles(users),
    usersStarted: doubles(users),
    usersEnded: doubles(users),
    untimedRequests: doubles(untimed ? points : 0),
    untimedFailedRequests: doubles(untimed ? points : 0),
    endpoint: words(points),
    second: words(points),
    bucketsFrom: words(points + 1),
    failureEndpoint: words(failures),
    failureKind: words(failures),
    failureSecond: words(failures),
    userGenerator: words(users),
    userSecond: words(users),
    bucket: halves(buckets),
    windowSeconds: halves(windows ? points : 0),
  };
}

/** `what` says what is wrong and where. */
export function badBatch(what: string): UserError {
  return new UserError("bad-batch", `invalid batch: ${what}`);
}
