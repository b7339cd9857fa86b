import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { pointsArbitrary } from "../../../test/support/any-points.ts";
import { densePoints } from "../../../test/support/dense-points.ts";
import { pointsOf, samplesArbitrary } from "../../../test/support/plain-points.ts";
import type { DataPoints } from "../../model/data-points.ts";
import type { UserError } from "../../model/errors.ts";
import { type Block, decodeBlock, encodeBlock } from "./block.ts";
import { joinSeries, joinSums } from "../join-series.ts";
import { openDistribution } from "./distribution-segment.ts";
import { openPlain } from "./plain-segment.ts";

const shape = { endpoints: 3, seconds: 200, requestsPerPoint: 14, firstSecond: 1_790_000_000 };

test("any points survive encoding and decoding", () => {
  fc.assert(
    fc.property(pointsArbitrary, (points) => {
      expect(decodeBlock(encodeBlock(points))).toEqual(points);
    }),
    { numRuns: 300 },
  );
});

test("measured points survive encoding and decoding", () => {
  fc.assert(
    fc.property(samplesArbitrary, (samples) => {
      const points = pointsOf(samples);
      expect(decodeBlock(encodeBlock(points))).toEqual(points);
    }),
    { numRuns: 200 },
  );
});

test("windows survive a round trip, and blocks without windows keep their earlier bytes", () => {
  const points = densePoints(shape);
  const windowSeconds = points.second.map((second) => (second % 7 === 0 ? 65_535 : 10));
  const windowed = { ...points, windowSeconds: Uint16Array.from(windowSeconds) };
  expect(decodeBlock(encodeBlock(windowed))).toEqual(windowed);
  const [with10, without] = [
    encodeBlock({ ...points, windowSeconds: Uint16Array.from(windowSeconds).fill(10) }),
    encodeBlock(points),
  ];
  // One entry in the column list, and two bytes in each section for a column of equal values.
  expect(with10.plain.length - without.plain.length).toBe(1 + 2 * shape.endpoints);
  expect(without.plain.subarray(2, 10)).toEqual(Uint8Array.of(7, 1, 2, 3, 4, 5, 6, 7));
});

test.each([
  ["dense", shape],
  ["with one request a point", { ...shape, requestsPerPoint: 0 }],
  ["with 1,000 requests a point", { ...shape, seconds: 30, requestsPerPoint: 1000 }],
  ["of 500 endpoints in one second", { ...shape, endpoints: 500, seconds: 1 }],
  ["of one endpoint", { ...shape, endpoints: 1 }],
  ["of none", { ...shape, endpoints: 0 }],
])("a block %s survives a round trip", (_, about) => {
  const points = densePoints(about);
  expect(decodeBlock(encodeBlock(points))).toEqual(points);
});

test.each([
  [shape, 5, 11],
  [{ ...shape, endpoints: 16, seconds: 300 }, 4.8, 10.2],
  [{ ...shape, requestsPerPoint: 0 }, 4.5, 0.1],
])("the bytes per point are bounded: %o", (about, plainMost, distributionMost) => {
  const points = densePoints(about);
  const { plain, distribution } = encodeBlock(points);
  expect(plain.length / points.second.length).toBeLessThan(plainMost);
  expect(distribution.length / points.second.length).toBeLessThan(distributionMost);
});

test("one endpoint is read without the others, from its own or shared sections", () => {
  for (const about of [shape, { ...shape, endpoints: 300, seconds: 3 }]) {
    const all = densePoints(about);
    const block = encodeBlock(all);
    const plain = openPlain(block.plain);
    const distribution = openDistribution(block.distribution, plain, block.plain);
    const wanted = about.endpoints - 2;
    const [sums, rest] = [plain.rangeOf(wanted), distribution.rangeOf(wanted)];
    if (sums === undefined || rest === undefined) throw new Error("not found");
    const series = joinSeries([{ ...sums, columns: { ...sums.columns, ...rest.columns } }]);
    const { endpoint: _, ...expected } = pointsOfEndpoint(all, wanted);
    expect(series).toEqual(expected);
    const part = plain.part(wanted);
    if (part === undefined) throw new Error("not found");
    expect(expected).toMatchObject(joinSums([part]));
    expect(plain.part(about.endpoints)).toBeUndefined();
    expect(plain.rangeOf(about.endpoints)).toBeUndefined();
    expect(distribution.rangeOf(about.endpoints)).toBeUndefined();
  }
});

test("points with windows and points without are joined on decoding", () => {
  const [early, late] = [
    densePoints(shape),
    densePoints({ ...shape, firstSecond: shape.firstSecond + shape.seconds }),
  ];
  const windowed = { ...late, windowSeconds: new Uint16Array(late.second.length).fill(10) };
  const parts = [early, windowed].map((points) => openPlain(encodeBlock(points).plain).part(1));
  const joined = joinSums(parts.filter((part) => part !== undefined));
  const ones = new Uint16Array(shape.seconds).fill(1);
  expect([...(joined.windowSeconds ?? [])]).toEqual([...ones, ...ones.map(() => 10)]);
  const [first, second] = [early, late].map((points) => pointsOfEndpoint(points, 1));
  expect([...joined.elapsedMicros]).toEqual(
    [first, second].flatMap((points) => [...(points?.elapsedMicros ?? [])]),
  );
});

test("every flipped bit is detected", () => {
  const block = encodeBlock(densePoints({ ...shape, endpoints: 2, seconds: 5 }));
  for (const name of ["plain", "distribution"] as const) {
    for (let bit = 0; bit < block[name].length * 8; bit++) {
      const damaged = block[name].slice();
      damaged[bit >> 3] = (damaged[bit >> 3] as number) ^ (1 << (bit & 7));
      expect(errorOf({ ...block, [name]: damaged })).toBe("damaged-store");
    }
  }
});

test("every truncation is detected", () => {
  const block = encodeBlock(densePoints({ ...shape, endpoints: 2, seconds: 5 }));
  for (const name of ["plain", "distribution"] as const) {
    for (let length = 0; length < block[name].length; length++) {
      expect(errorOf({ ...block, [name]: block[name].subarray(0, length) })).toBe("damaged-store");
    }
  }
});

test("segments of different blocks are refused together", () => {
  const one = encodeBlock(densePoints(shape, 1));
  const other = encodeBlock(densePoints(shape, 2));
  const swapped = { plain: one.distribution, distribution: one.plain };
  expect(errorOf({ plain: one.plain, distribution: other.distribution })).toBe("damaged-store");
  expect(errorOf(swapped)).toBe("damaged-store");
});

test("unsorted points or buckets are a bug and are not encoded", () => {
  const about = { ...shape, endpoints: 1, seconds: 2 };
  const seconds = densePoints(about);
  seconds.second.reverse();
  expect(() => encodeBlock(seconds)).toThrow("BUG: cannot encode a block: points are out of order");
  const buckets = densePoints(about);
  buckets.bucket[1] = buckets.bucket[0] as number;
  expect(() => encodeBlock(buckets)).toThrow("buckets are out of order");
});

function errorOf(block: Block): string | undefined {
  try {
    decodeBlock(block);
    return undefined;
  } catch (error) {
    return (error as UserError).code;
  }
}

function pointsOfEndpoint(all: DataPoints, endpoint: number): DataPoints {
  const first = all.endpoint.indexOf(endpoint);
  const last = all.endpoint.lastIndexOf(endpoint) + 1;
  const entries = all.bucketsFrom.slice(first, last + 1);
  const cut = <Column extends Float64Array | Uint32Array>(column: Column) =>
    column.slice(first, last) as Column;
  return {
    endpoint: cut(all.endpoint),
    second: cut(all.second),
    requests: cut(all.requests),
    elapsedMicros: cut(all.elapsedMicros),
    receivedBytes: cut(all.receivedBytes),
    failedRequests: cut(all.failedRequests),
    failedElapsedMicros: cut(all.failedElapsedMicros),
    failedReceivedBytes: cut(all.failedReceivedBytes),
    minMicros: cut(all.minMicros),
    maxMicros: cut(all.maxMicros),
    bucketsFrom: entries.map((entry) => entry - (entries[0] as number)),
    bucket: all.bucket.slice(entries[0], entries.at(-1)),
    bucketCount: all.bucketCount.slice(entries[0], entries.at(-1)),
  };
}

test("an open small block retains little memory", () => {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  const arrayBytes = (): number => {
    // The first run only finds what can be freed.
    collectGarbage();
    collectGarbage();
    return process.memoryUsage().arrayBuffers;
  };
  const block = encodeBlock(densePoints({ ...shape, seconds: 4 }));
  const blocks = 2000;
  const before = arrayBytes();
  const opened = Array.from({ length: blocks }, () =>
    openDistribution(block.distribution, openPlain(block.plain), block.plain),
  );
  // The decompressor allocates chunks of 16 KB.
  expect((arrayBytes() - before) / blocks).toBeLessThan(4096);
  expect(opened.length).toBe(blocks);
});
