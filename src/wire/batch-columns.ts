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

/** By name: its type, and of what it has one value each. In byte order: widest first, so that no padding is needed. */
const COLUMNS = {
  requests: [Float64Array, "points"],
  elapsedMicros: [Float64Array, "points"],
  receivedBytes: [Float64Array, "points"],
  failedRequests: [Float64Array, "points"],
  failedElapsedMicros: [Float64Array, "points"],
  failedReceivedBytes: [Float64Array, "points"],
  minMicros: [Float64Array, "points"],
  maxMicros: [Float64Array, "points"],
  bucketCount: [Float64Array, "buckets"],
  failureRequests: [Float64Array, "failures"],
  usersActive: [Float64Array, "users"],
  usersStarted: [Float64Array, "users"],
  usersEnded: [Float64Array, "users"],
  untimedRequests: [Float64Array, "untimed"],
  untimedFailedRequests: [Float64Array, "untimed"],
  endpoint: [Uint32Array, "points"],
  second: [Uint32Array, "points"],
  bucketsFrom: [Uint32Array, "pointsAndEnd"],
  failureEndpoint: [Uint32Array, "failures"],
  failureKind: [Uint32Array, "failures"],
  failureSecond: [Uint32Array, "failures"],
  userGenerator: [Uint32Array, "users"],
  userSecond: [Uint32Array, "users"],
  bucket: [Uint16Array, "buckets"],
  windowSeconds: [Uint16Array, "windows"],
} as const;

export type BatchColumns = {
  readonly [Name in keyof typeof COLUMNS]: InstanceType<(typeof COLUMNS)[Name][0]>;
};

function lengthsOf({ points, windows, untimed = false, ...others }: ColumnCounts) {
  return {
    ...others,
    points,
    pointsAndEnd: points + 1,
    windows: windows ? points : 0,
    untimed: untimed ? points : 0,
  };
}

export function columnBytes(counts: ColumnCounts): number {
  const lengths = lengthsOf(counts);
  return Object.values(COLUMNS).reduce(
    (sum, [Column, rows]) => sum + Column.BYTES_PER_ELEMENT * lengths[rows],
    0,
  );
}

/** `at` is a multiple of 8. */
export function columnsAt(buffer: ArrayBuffer, at: number, counts: ColumnCounts): BatchColumns {
  const lengths = lengthsOf(counts);
  let next = at;
  const columns = Object.entries(COLUMNS).map(([name, [Column, rows]]) => {
    const column = new Column(buffer, next, lengths[rows]);
    next += column.byteLength;
    return [name, column];
  });
  return Object.fromEntries(columns) as BatchColumns;
}

/** `what` says what is wrong and where. */
export function badBatch(what: string): UserError {
  return new UserError("bad-batch", `invalid batch: ${what}`);
}
