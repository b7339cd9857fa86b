import { expect, test } from "vitest";
import { densePoints } from "../../test/support/dense-points.ts";
import type { DataPoints } from "../model/data-points.ts";
import { arrangePoints } from "./series.ts";
import { NO_FAILURES } from "../model/failures.ts";
import { NO_USERS } from "./stored-details.ts";
import { type BatchContents, digestOf } from "./batch-digest.ts";
import { inOrder, numberPoints } from "./numbered-points.ts";

const shape = { requestsPerPoint: 3, firstSecond: 1_790_000_000 };

function digestUnder(points: DataPoints, numbers: readonly number[]): string {
  const contents = { failures: NO_FAILURES, users: NO_USERS, roles: new Map() };
  const numbered = numberPoints(points, Uint32Array.from(numbers));
  return Buffer.from(digestOf({ ...contents, points: numbered })).toString("hex");
}

/** Returns the points of three labels in the order c, a, b. */
function rotated(points: DataPoints, seconds: number): DataPoints {
  const from = Uint32Array.of(2 * seconds, 0, seconds);
  const until = from.map((point) => point + seconds);
  return { ...arrangePoints(points, { from, until }, 3 * seconds), endpoint: points.endpoint };
}

test.each([2, 100])("the order of labels does not matter, with %d seconds of each", (seconds) => {
  const points = densePoints({ ...shape, endpoints: 3, seconds });
  const digest = digestUnder(points, [4, 7, 9]);
  expect(digestUnder(rotated(points, seconds), [9, 4, 7])).toBe(digest);
  expect(digestUnder(points, [4, 7, 8])).not.toBe(digest);
});

test.each([2, 100])("every column matters, with %d seconds of each label", (seconds) => {
  const points = densePoints({ ...shape, endpoints: 3, seconds });
  const digest = digestUnder(points, [4, 7, 9]);
  const { endpoint: _, windowSeconds: __, outcomes: ___, ...columns } = points;
  for (const [name, column] of Object.entries(columns)) {
    if (column === undefined) continue;
    const changed = column.slice();
    changed[1] = (changed[1] as number) + 1;
    expect([name, digestUnder({ ...points, [name]: changed }, [4, 7, 9])]).not.toEqual([
      name,
      digest,
    ]);
  }
  const windowSeconds = new Uint16Array(3 * seconds).fill(2);
  expect(digestUnder({ ...points, windowSeconds }, [4, 7, 9])).not.toBe(digest);
});

/** One request to endpoint 4: 5 microseconds, 7 bytes. */
const POINTS = inOrder({
  endpoint: Uint32Array.of(4),
  second: Uint32Array.of(1_700_000_000),
  requests: Float64Array.of(1),
  elapsedMicros: Float64Array.of(5),
  receivedBytes: Float64Array.of(7),
  failedRequests: Float64Array.of(0),
  failedElapsedMicros: Float64Array.of(0),
  failedReceivedBytes: Float64Array.of(0),
  minMicros: Float64Array.of(5),
  maxMicros: Float64Array.of(5),
  bucketsFrom: Uint32Array.of(0, 1),
  bucket: Uint16Array.of(5),
  bucketCount: Float64Array.of(1),
});

const PLAIN: BatchContents = {
  points: POINTS,
  failures: NO_FAILURES,
  users: NO_USERS,
  roles: new Map(),
};

const DETAILED: BatchContents = {
  points: POINTS,
  failures: {
    kinds: [{ code: "503", message: "busy" }],
    counts: {
      endpoint: Uint32Array.of(4),
      kind: Uint32Array.of(0),
      second: Uint32Array.of(1_700_000_000),
      requests: Float64Array.of(2),
    },
  },
  users: {
    generators: ["host"],
    counts: {
      generator: Uint32Array.of(0),
      second: Uint32Array.of(1_700_000_000),
      active: Float64Array.of(3),
      started: Float64Array.of(0),
      ended: Float64Array.of(0),
    },
  },
  roles: new Map([
    [4, "subresult"],
    [2, "transaction"],
  ]),
};

const TWO: BatchContents = {
  ...PLAIN,
  points: inOrder({
    endpoint: Uint32Array.of(4, 4),
    second: Uint32Array.of(1_700_000_000, 1_700_000_010),
    requests: Float64Array.of(1, 2),
    elapsedMicros: Float64Array.of(5, 15),
    receivedBytes: Float64Array.of(7, 8),
    failedRequests: Float64Array.of(0, 0),
    failedElapsedMicros: Float64Array.of(0, 0),
    failedReceivedBytes: Float64Array.of(0, 0),
    minMicros: Float64Array.of(5, 6),
    maxMicros: Float64Array.of(5, 9),
    bucketsFrom: Uint32Array.of(0, 1, 3),
    bucket: Uint16Array.of(5, 6, 9),
    bucketCount: Float64Array.of(1, 1, 1),
    windowSeconds: Uint16Array.of(10, 20),
  }),
};

// These digests must never change: stored batches are recognised by them. Computed by `openssl mac ... GMAC`
// (docs/decisions/007) over the numbers as little-endian bytes.
test.each([
  ["points alone", PLAIN, "14d18275bdafe5195918725e8eabc5b3"],
  ["points with details", DETAILED, "8354e5294fc0b0401a6d85ef7872a478"],
  ["two windows", TWO, "4e1c642632a6b04caa355c4fb24d1090"],
])("the digest of %s matches OpenSSL", (_, contents, digest) => {
  expect(Buffer.from(digestOf(contents)).toString("hex")).toBe(digest);
});
