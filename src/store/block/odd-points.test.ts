/**
 * Blocks in which exactly one point breaks a rule of the compact encoding. Each rule is broken separately.
 */

import { crc32 } from "node:zlib";
import { expect, test } from "vitest";
import { densePoints } from "../../../test/support/dense-points.ts";
import type { DataPoints } from "../../model/data-points.ts";
import { UserError } from "../../model/errors.ts";
import type { EndpointRuns } from "../series.ts";
import { decodeBlock, encodeBlock, openBlock } from "./block.ts";
import { openPlain } from "./plain-segment.ts";

const SHAPE = { endpoints: 3, seconds: 4, requestsPerPoint: 14, firstSecond: 1_790_000_000 };

/** One endpoint, three seconds, one request each: 5, 300 and 5 microseconds. */
function singles(): DataPoints {
  return {
    endpoint: Uint32Array.of(0, 0, 0),
    second: Uint32Array.of(10, 11, 12),
    requests: Float64Array.of(1, 1, 1),
    elapsedMicros: Float64Array.of(5, 300, 5),
    receivedBytes: Float64Array.of(0, 0, 0),
    failedRequests: Float64Array.of(0, 0, 0),
    failedElapsedMicros: Float64Array.of(0, 0, 0),
    failedReceivedBytes: Float64Array.of(0, 0, 0),
    minMicros: Float64Array.of(5, 300, 5),
    maxMicros: Float64Array.of(5, 300, 5),
    bucketsFrom: Uint32Array.of(0, 1, 2, 3),
    bucket: Uint16Array.of(5, 300, 5),
    bucketCount: Float64Array.of(1, 1, 1),
  };
}

test.each<[string, Partial<DataPoints>]>([
  ["minimum is not its sum", { minMicros: Float64Array.of(5, 296, 5) }],
  ["maximum is not its sum", { maxMicros: Float64Array.of(5, 301, 5) }],
  ["bucket is not that of its sum", { bucket: Uint16Array.of(5, 299, 5) }],
  ["bucket holds two", { bucketCount: Float64Array.of(1, 2, 1) }],
  [
    "histogram has two buckets",
    {
      bucketsFrom: Uint32Array.of(0, 1, 3, 4),
      bucket: Uint16Array.of(5, 300, 301, 5),
      bucketCount: Float64Array.of(1, 1, 1, 1),
    },
  ],
  [
    "histogram is empty",
    {
      bucketsFrom: Uint32Array.of(0, 1, 1, 2),
      bucket: Uint16Array.of(5, 5),
      bucketCount: Float64Array.of(1, 1),
    },
  ],
])("a point of one request whose %s survives a round trip", (_, change) => {
  const points = { ...singles(), ...change };
  expect(decodeBlock(encodeBlock(points))).toEqual(points);
});

test("points of one request take no bytes in the distribution", () => {
  const [three, odd] = [singles(), { ...singles(), minMicros: Float64Array.of(5, 296, 5) }];
  const [short, long] = [three, odd].map((points) => encodeBlock(points).distribution.length);
  expect(short).toBeLessThan(long as number);
});

test.each<[string, (points: DataPoints) => void]>([
  ["minimum below its first bucket", ({ minMicros }) => (minMicros[5] = 0)],
  ["minimum above its first bucket", ({ minMicros }) => (minMicros[5] = 2 ** 40)],
  ["maximum below its last bucket", ({ maxMicros }) => (maxMicros[5] = 0)],
  ["maximum above its last bucket", ({ maxMicros }) => (maxMicros[5] = 2 ** 40)],
  ["number of requests that its histogram has not", ({ requests }) => (requests[5] = 1000)],
  ["bucket of more than 2^32 values", ({ bucketCount }) => (bucketCount[5] = 2 ** 32 + 1)],
])("a point with a %s survives a round trip, and so do its neighbours", (_, breakRule) => {
  const points = densePoints(SHAPE);
  breakRule(points);
  expect(decodeBlock(encodeBlock(points))).toEqual(points);
});

test("extremes in odd units survive a round trip, from buckets and from columns", () => {
  for (const unit of [1, 7, 1000, 2 ** 33]) {
    const points = singles();
    const scaled = {
      ...points,
      requests: Float64Array.of(2, 2, 2),
      elapsedMicros: Float64Array.of(2 * unit, 4 * unit, 6 * unit),
      minMicros: Float64Array.of(unit, 2 * unit, 3 * unit),
      maxMicros: Float64Array.of(unit, 2 * unit, 3 * unit),
    };
    expect(decodeBlock(encodeBlock(scaled))).toEqual(scaled);
  }
});

test.each([0, 0.5, -1, NaN])("a bucket with %d values is a bug and is not encoded", (count) => {
  const points = densePoints(SHAPE);
  points.bucketCount[2] = count;
  expect(() => encodeBlock(points)).toThrow("BUG: cannot encode a block: buckets are out of order");
});

test.each<[string, Partial<DataPoints>, string]>([
  ["a fraction", { elapsedMicros: Float64Array.of(5, 300, 1.5) }, "not an integer"],
  ["a negative number", { receivedBytes: Float64Array.of(0, -1, 0) }, "not an integer"],
  ["no number", { requests: Float64Array.of(NaN, 1, 1) }, "not an integer"],
  ["a number over 2^53 - 1", { failedRequests: Float64Array.of(0, 0, 2 ** 53) }, "not an integer"],
  ["a minimum of 0.5", { minMicros: Float64Array.of(5, 0.5, 5) }, "not an integer"],
  ["half a maximum", { maxMicros: Float64Array.of(5, 300, Infinity) }, "not an integer"],
  ["half an untimed one", { untimedRequests: Float64Array.of(0, 0, 0.5) }, "not an integer"],
  ["a window of zero seconds", { windowSeconds: Uint16Array.of(10, 0, 10) }, "for no second"],
  ["a second twice", { second: Uint32Array.of(10, 10, 12) }, "points are out of order"],
  ["no such bucket", { bucket: Uint16Array.of(5, 23_678, 5) }, "buckets are out of order"],
  ["failed bytes alone", { failedReceivedBytes: Float64Array.of(0, 5, 0) }, "without failed"],
  ["failed times alone", { failedElapsedMicros: Float64Array.of(0, 5, 0) }, "without failed"],
])("points with %s are a bug and are not encoded", (_, odd, text) => {
  expect(() => encodeBlock({ ...singles(), ...odd })).toThrow(text);
});

/** Of one point each. */
function runsOf(endpoints: readonly number[], from: readonly number[]): EndpointRuns {
  const until = Uint32Array.from(from, (point) => point + 1);
  return { endpoint: Uint32Array.from(endpoints), from: Uint32Array.from(from), until };
}

test("duplicate or unsorted endpoints are a bug and are not encoded", () => {
  const points = singles();
  for (const endpoints of [
    [4, 4],
    [4, 3],
  ]) {
    expect(() => encodeBlock(points, runsOf(endpoints, [0, 1]))).toThrow("out of order");
  }
  const untimedRequests = Float64Array.of(7, 8, 9);
  const swapped = encodeBlock({ ...points, untimedRequests }, runsOf([3, 4], [1, 0]));
  expect([...(decodeBlock(swapped).untimedRequests ?? [])]).toEqual([8, 7]);
});

test("a block takes 16,448 points, and more are a bug", () => {
  const most = densePoints({ ...SHAPE, endpoints: 1, seconds: 16_448 });
  expect(decodeBlock(encodeBlock(most))).toEqual(most);
  const more = densePoints({ ...SHAPE, endpoints: 1, seconds: 16_449 });
  expect(() => encodeBlock(more)).toThrow("BUG: a block of 16449 points");
});

test.each([
  { endpoints: 3, from: 0, until: 3 },
  { endpoints: 3, from: 1, until: 2 },
  { endpoints: 3, from: 2, until: 2 },
  { endpoints: 3, from: 3, until: 9 },
  { endpoints: 300, from: 120, until: 140 },
  { endpoints: 300, from: 299, until: Infinity },
  { endpoints: 300, from: 0, until: 1 },
])("of $endpoints endpoints, those from $from to $until are read", ({ endpoints, from, until }) => {
  const all = densePoints({ ...SHAPE, endpoints, seconds: 3 });
  const parts = [...openBlock(encodeBlock(all)).points(from, until)];
  const places = [...all.endpoint.keys()].filter((place) => {
    const endpoint = all.endpoint[place] as number;
    return endpoint >= from && endpoint < until;
  });
  const read = (column: "endpoint" | "second" | "elapsedMicros" | "maxMicros") => ({
    got: parts.flatMap((part) => [...part[column]]),
    want: places.map((place) => all[column][place]),
  });
  for (const column of ["endpoint", "second", "elapsedMicros", "maxMicros"] as const) {
    const { got, want } = read(column);
    expect(got).toEqual(want);
  }
  // There are no empty parts.
  expect(parts.every(({ second }) => second.length > 0)).toBe(true);
});

/** Returns a plain segment with one byte changed and a valid checksum. */
function withByteAt(plain: Uint8Array, at: number, byte: number): Uint8Array {
  const changed = plain.slice();
  changed[at] = byte;
  const body = changed.subarray(0, -4);
  new DataView(changed.buffer).setUint32(body.length, crc32(body), true);
  return changed;
}

// Byte 0 is the kind, 1 the version, 2 the number of columns, 3 to 9 the column numbers.
test.each([
  {
    what: "a later version",
    at: 1,
    byte: 2,
    code: "store-too-new",
    text: "version 2 with the columns 1,2,3,4,5,6,7: this program supports version 1",
  },
  {
    what: "a column that nobody knows",
    at: 9,
    byte: 99,
    code: "store-too-new",
    text: "version 1 with the columns 1,2,3,4,5,6,99: this program supports version 1 with the columns 1,2,3,4,5,6,7",
  },
  {
    what: "the kind of another segment",
    at: 0,
    byte: 0x44,
    code: "damaged-store",
    text: "cannot read a plain segment: it begins with byte 68",
  },
])("a segment with a valid checksum but $what is refused", ({ at, byte, code, text }) => {
  const { plain } = encodeBlock(singles());
  const open = () => openPlain(withByteAt(plain, at, byte));
  expect(open).toThrow(expect.objectContaining({ code }));
  expect(open).toThrow(text);
});

test("a refused segment has a message that names the mismatch", () => {
  const { plain, distribution } = encodeBlock(singles());
  const other = encodeBlock({ ...singles(), receivedBytes: Float64Array.of(1, 2, 3) });
  expect(() => openPlain(plain.subarray(0, 20))).toThrow(
    new UserError(
      "damaged-store",
      "cannot read a plain segment: its checksum does not fit its bytes",
    ),
  );
  expect(() => decodeBlock({ plain: other.plain, distribution })).toThrow(
    "cannot read a distribution segment: it belongs to another plain segment",
  );
});
