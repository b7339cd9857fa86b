/**
 * Pins the bytes of some blocks, so that optimising the encoder cannot change the format. The hashes are our
 * own output when the format was settled; `block.test.ts` tests the meaning of the bytes.
 */

import { createHash } from "node:crypto";
import { zstdDecompressSync } from "node:zlib";
import { expect, test } from "vitest";
import { densePoints, randomFrom } from "../../../test/support/dense-points.ts";
import type { DataPoints } from "../../model/data-points.ts";
import { bucketFloor } from "../../model/buckets/bucket-layout.ts";
import { encodeBlock } from "./block.ts";

const shape = { endpoints: 3, seconds: 200, requestsPerPoint: 14, firstSecond: 1_790_000_000 };

test.each([
  [
    "dense",
    densePoints(shape),
    "f71f734b584fffd144d1ef3c2b300f1928b97e4c",
    "8d3e33ead1379c8503c64220bc2377ab9acb5f07",
  ],
  [
    "with one request a point",
    densePoints({ ...shape, requestsPerPoint: 0 }),
    "ce8f0dfaf5ad2e31a82a58fdb7ff75a651e1ebad",
    "79cafe8833ee292699f7024a39a591ce9f8c9e3e",
  ],
  [
    "with 1,000 requests a point",
    densePoints({ ...shape, endpoints: 1, seconds: 20, requestsPerPoint: 1000 }),
    "05463121eeefe150fbe3033d19011ae084be81d0",
    "547050c1d063b62184da5d8434215cbea24d0478",
  ],
  [
    "of 500 endpoints in one second",
    densePoints({ ...shape, endpoints: 500, seconds: 1 }),
    "78f1f042e703d688be27ed0170c2f78ff790b564",
    "49a43837e933d2091aa0424d6fd8c0b592979793",
  ],
  [
    "with far buckets",
    scatteredPoints(true),
    "a134fc0b56fc8fff4c4c0f6c5032d49071100251",
    "d3f698fd3d90bbed9d052b40dbe2ede6cebb01b4",
  ],
  [
    "whose numbers do not fit each other",
    scatteredPoints(false),
    "5994eac719117946b1f37b12bc01e3555cd9352a",
    "3e5135b02ef1bcf01a7313d8d20d31f3ccff623b",
  ],
])("the bytes of a block %s are unchanged", (_, points, plain, distribution) => {
  const block = encodeBlock(points);
  expect(hashOf(block.plain)).toBe(plain);
  expect(hashOf(...uncompressed(block.distribution))).toBe(distribution);
});

function hashOf(...parts: readonly Uint8Array[]): string {
  const hash = createHash("sha1");
  for (const part of parts) hash.update(part);
  return hash.digest("hex");
}

/**
 * Returns the bytes before the compressed body and the uncompressed body, as another zstd may compress
 * differently.
 */
function uncompressed(distribution: Uint8Array): readonly Uint8Array[] {
  const magic = Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd);
  const bodyAt = Buffer.from(distribution).indexOf(magic);
  if (bodyAt < 0) return [distribution];
  const body = distribution.subarray(bodyAt, -4);
  const lengthBytes = body.length < 2 ** 7 ? 1 : body.length < 2 ** 14 ? 2 : 3;
  return [distribution.subarray(0, bodyAt - lengthBytes), zstdDecompressSync(body)];
}

/**
 * Returns 300 points with sums of any bit length. With `fitting`, histograms match their requests and
 * extremes.
 */
function scatteredPoints(fitting: boolean): DataPoints {
  const random = randomFrom(7);
  const below = (limit: number) => Math.floor(random() * limit);
  const numbers = () => Float64Array.from({ length: 300 }, () => below(2 ** below(54)));
  const failedRequests = numbers().map((failed) => (failed % 3 === 0 ? failed : 0));
  const ofFailed = () => numbers().map((sum, point) => (failedRequests[point] === 0 ? 0 : sum));
  const points = {
    endpoint: Uint32Array.from({ length: 300 }, (_, point) => 7 * Math.floor(point / 70)),
    second: Uint32Array.from({ length: 300 }, (_, point) => 10 ** 9 + 1000 * point + below(999)),
    requests: numbers(),
    elapsedMicros: numbers(),
    receivedBytes: numbers(),
    failedRequests,
    failedElapsedMicros: ofFailed(),
    failedReceivedBytes: ofFailed(),
    minMicros: numbers(),
    maxMicros: numbers(),
  };
  const bucketsFrom = new Uint32Array(301);
  const bucket: number[] = [];
  const bucketCount: number[] = [];
  for (let point = 0; point < 300; point++) {
    const from = bucket.length;
    const until = from + below(6) + (fitting ? 1 : 0);
    for (let next = below(9000); bucket.length < until; next += 1 + below(2900)) {
      bucket.push(next);
      bucketCount.push(fitting ? 1 + below(2) : 1 + below(2 ** below(54)));
    }
    bucketsFrom[point + 1] = until;
    if (!fitting) continue;
    points.requests[point] = bucketCount.slice(from).reduce((sum, values) => sum + values, 0);
    points.minMicros[point] = bucketFloor(bucket[from] as number);
    points.maxMicros[point] = bucketFloor(bucket[until - 1] as number);
  }
  return {
    ...points,
    bucketsFrom,
    bucket: Uint16Array.from(bucket),
    bucketCount: Float64Array.from(bucketCount),
  };
}
