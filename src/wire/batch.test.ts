import { crc32 } from "node:zlib";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { batchOf, sample } from "../../test/support/batches.ts";
import { pointsOf, samplesArbitrary } from "../../test/support/plain-points.ts";
import { UserError } from "../model/errors.ts";
import { NO_FAILURES } from "../model/failures.ts";
import { NO_USERS } from "../store/stored-details.ts";
import { decodeBatch, encodeBatch } from "./batch.ts";
import type { WireBatch } from "./batch-head.ts";

const WHOLE: WireBatch = {
  sourceId: "follow-jmeter-csv-100-ab",
  visibility: "live",
  format: "jmeter-csv",
  sequence: 200,
  follows: 100,
  labels: ["cart", "pay"],
  roles: ["request", "transaction"],
  points: pointsOf([
    { endpoint: 0, second: 5, elapsedMicros: 100, receivedBytes: 7, failed: false },
    { endpoint: 0, second: 5, elapsedMicros: 300_000, receivedBytes: 9, failed: true },
    { endpoint: 1, second: 6, elapsedMicros: 0, receivedBytes: 0, failed: false },
  ]),
  failures: {
    kinds: [{ code: "503", message: "Busy" }],
    counts: {
      endpoint: Uint32Array.of(0),
      kind: Uint32Array.of(0),
      second: Uint32Array.of(5),
      requests: Float64Array.of(1),
    },
  },
  users: {
    generators: ["", "agent-2"],
    counts: {
      generator: Uint32Array.of(0, 1),
      second: Uint32Array.of(5, 5),
      active: Float64Array.of(10, 20),
      started: Float64Array.of(0, 0),
      ended: Float64Array.of(0, 0),
    },
  },
};

const NO_DETAILS = { failures: NO_FAILURES, users: NO_USERS };

test("a batch survives a round trip", () => {
  expect(decodeBatch(encodeBatch(WHOLE))).toEqual(WHOLE);
  const points = { ...WHOLE.points, windowSeconds: Uint16Array.of(10, 65_535) };
  const windows = { ...WHOLE, points, follows: "nothing" } as const;
  expect(decodeBatch(encodeBatch(windows))).toEqual(windows);
});

/** The last number is reserved for the end of a withdrawn source. */
const SEQUENCE = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER - 1 });

test("any points survive a round trip, without unused labels", () => {
  fc.assert(
    fc.property(samplesArbitrary, SEQUENCE, (samples, sequence) => {
      const labels = ["a", "b", "never used", "é😀"];
      const labelled = samples.map(({ endpoint, ...each }) => ({
        ...each,
        label: labels[endpoint] ?? "",
      }));
      const { loadTestId: _, ...batch } = batchOf(labelled, { sequence });
      const wide = { ...batch, labels: [...batch.labels, "unused"] };
      const { follows: __, ...decoded } = decodeBatch(encodeBatch(wide));
      expect(decoded).toEqual({ ...batch, ...NO_DETAILS });
    }),
  );
});

test("unused names are left out, and the others keep their rows", () => {
  const batch = {
    ...WHOLE,
    labels: ["unused", "cart", "unused", "pay"],
    roles: ["unclear", "request", "subresult", "transaction"] as const,
    points: { ...WHOLE.points, endpoint: WHOLE.points.endpoint.map((label) => label * 2 + 1) },
    failures: {
      kinds: [{ code: "", message: "unused" }, ...(WHOLE.failures?.kinds ?? [])],
      counts: {
        endpoint: Uint32Array.of(1),
        kind: Uint32Array.of(1),
        second: Uint32Array.of(5),
        requests: Float64Array.of(1),
      },
    },
  };
  expect(decodeBatch(encodeBatch(batch))).toEqual(WHOLE);
});

type Change = (batch: WireBatch) => WireBatch;

function withPoints(points: Partial<WireBatch["points"]>): Change {
  return (batch) => ({ ...batch, points: { ...batch.points, ...points } });
}

function withUsers(counts: object): Change {
  return (batch) =>
    ({
      ...batch,
      users: {
        ...NO_DETAILS.users,
        generators: ["", "b"],
        counts: { ...WHOLE.users?.counts, ...counts },
      },
    }) as WireBatch;
}

const f64 = (...values: number[]): Float64Array => Float64Array.from(values);

const LONG = "x".repeat(1025);

test.each<[string, Change, RegExp]>([
  ["half a request", withPoints({ requests: f64(2, 0.5) }), /requests of point 1: .*got 0.5/],
  ["no request", withPoints({ requests: f64(0, 1) }), /requests of point 0: .*got 0$/],
  ["NaN", withPoints({ elapsedMicros: f64(NaN, 0) }), /elapsedMicros of point 0: .*got NaN/],
  ["infinity", withPoints({ receivedBytes: f64(0, Infinity) }), /receivedBytes of point 1/],
  ["a negative sum", withPoints({ failedElapsedMicros: f64(-1, 0) }), /failedElapsedMicros/],
  ["a negative zero", withPoints({ failedReceivedBytes: f64(-0, 0) }), /failedReceivedBytes/],
  ["2^53", withPoints({ elapsedMicros: f64(2 ** 53, 0) }), /elapsedMicros of point 0/],
  ["more failed than all", withPoints({ failedRequests: f64(3, 0) }), /at most 2, got 3/],
  [
    "failed requests that took longer than all",
    withPoints({ elapsedMicros: f64(299_999, 0) }),
    /failedElapsedMicros of point 0: expected at most 299999, got 300000/,
  ],
  [
    "failed requests that received more than all",
    withPoints({ failedReceivedBytes: f64(17, 0) }),
    /failedReceivedBytes of point 0: expected at most 16, got 17/,
  ],
  ["sums of nothing", withPoints({ failedRequests: f64(0, 0) }), /point 0: expected no sums/],
  [
    "a minimum above the maximum",
    withPoints({ minMicros: f64(300_001, 0) }),
    /minMicros of point 0/,
  ],
  [
    "points not sorted",
    withPoints({ endpoint: Uint32Array.of(1, 0) }),
    /point 1: expected it behind/,
  ],
  [
    "a point twice",
    withPoints({ endpoint: Uint32Array.of(0, 0), second: Uint32Array.of(5, 5) }),
    /point 1: expected it behind/,
  ],
  [
    "a bucket too high",
    withPoints({ bucket: Uint16Array.of(100, 1, 23_678) }),
    /bucket 2: .*got 23678/,
  ],
  [
    "buckets not sorted",
    withPoints({ bucket: Uint16Array.of(100, 100, 0) }),
    /expected them to ascend/,
  ],
  ["an empty bucket", withPoints({ bucketCount: f64(2, 0, 1) }), /count of bucket 1/],
  [
    "values that are no requests",
    withPoints({ bucketCount: f64(1, 2, 1) }),
    /expected at most 2 values, .*got 3/,
  ],
  [
    "buckets cut wrongly",
    withPoints({ bucketsFrom: Uint32Array.of(0, 9, 3) }),
    /buckets of point 0/,
  ],
  ["buckets left over", withPoints({ bucketsFrom: Uint32Array.of(0, 2, 2) }), /to be 0 to 3/],
  ["a window of nothing", withPoints({ windowSeconds: Uint16Array.of(1, 0) }), /window of point 1/],
  ["users at no time", withUsers({ second: Uint32Array.of(0, 5) }), /second of users 0/],
  ["users twice", withUsers({ generator: Uint32Array.of(1, 1) }), /users 1: expected it behind/],
  ["half a user", withUsers({ active: f64(0.5, 1) }), /active of users 0/],
  ["an odd source", (batch) => ({ ...batch, sourceId: "../x" }), /source of its head: .*"..\/x"/],
  ["a source ..", (batch) => ({ ...batch, sourceId: ".." }), /source of its head: .*got "\.\."/],
  ["no number", (batch) => ({ ...batch, sequence: -1 }), /sequence of its head: .*got -1/],
  ["a long label", (batch) => ({ ...batch, labels: [LONG, "b"] }), /labels\[0\] of its head/],
])("%s is refused with its position", (_, change, message) => {
  expect(() => decodeBatch(encodeBatch(change(WHOLE)))).toThrow(message);
});

/** Returns a batch with a changed head and a valid checksum. */
function withHead(change: (head: Record<string, unknown>) => unknown): Uint8Array {
  const bytes = Buffer.from(encodeBatch(WHOLE));
  const length = bytes.readUInt32LE(4);
  const head: unknown = JSON.parse(bytes.toString("utf8", 8, 8 + length));
  const text = Buffer.from(JSON.stringify(change(head as Record<string, unknown>)));
  const padded = Buffer.concat([text, Buffer.alloc(8)]).subarray(0, Math.ceil(text.length / 8) * 8);
  const columns = bytes.subarray(Math.ceil((8 + length) / 8) * 8, -4);
  const preamble = Buffer.from(bytes.subarray(0, 8));
  preamble.writeUInt32LE(text.length, 4);
  return withChecksum(Buffer.concat([preamble, padded, columns]));
}

/** Nine invalid names, which must be counted before they are checked. */
function withNames(name: "labels" | "kinds" | "generators"): Uint8Array {
  return withHead((head) => ({ ...head, [name]: Array.from({ length: 9 }, () => 1) }));
}

function withChecksum(bytes: Uint8Array): Uint8Array {
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32LE(crc32(bytes));
  return Buffer.concat([bytes, checksum]);
}

test("a re-encoded head is accepted", () => {
  expect(decodeBatch(withHead((head) => ({ ...head, more: 1 })))).toEqual(WHOLE);
});

test.each<[string, Uint8Array, RegExp]>([
  ["no bytes", new Uint8Array(0), /expected the bytes "TGB"/],
  ["other bytes", Buffer.alloc(100, 0x20), /expected the bytes "TGB"/],
  ["another version", Buffer.from("TGB\u0001________________"), /expected the bytes "TGB"/],
  [
    "a head without end",
    withChecksum(Buffer.from("TGB\u0002\u00ff\u00ff\u00ff\u007f", "latin1")),
    /head is longer/,
  ],
  [
    "a head that is no JSON",
    withChecksum(Buffer.from("TGB\u0002\u0002\0\0\0{]______")),
    /no JSON object/,
  ],
  ["a list as a head", withHead(() => []), /points of its head: .*got nothing/],
  ["no head at all", withHead(() => null), /no JSON object/],
  [
    "more points than bytes",
    withHead((head) => ({ ...head, points: 2 ** 52 })),
    /expected \d+ bytes/,
  ],
  [
    "points of no label",
    withHead((head) => ({ ...head, labels: ["a"], roles: ["request"] })),
    /endpoint of point 1: expected 0 to 0/,
  ],
  ["failures of no kind", withHead((head) => ({ ...head, kinds: [] })), /kind of failure 0/],
  [
    "users of no generator",
    withHead((head) => ({ ...head, generators: [] })),
    /generator of users 0/,
  ],
  [
    "half a surrogate pair",
    withHead((head) => ({ ...head, labels: ["\ud800", "b"] })),
    /labels\[0\]/,
  ],
  [
    "a number for a label",
    withHead((head) => ({ ...head, labels: [1, "b"] })),
    /labels\[0\].*got 1/,
  ],
  ["more labels than rows", withNames("labels"), /labels of its head: .*at most 3.*got 9/],
  ["more kinds than failures", withNames("kinds"), /kinds of its head: .*at most 1.*got 9/],
  ["more generators than users", withNames("generators"), /generators of .*at most 2.*got 9/],
  [
    "a label of 1,026 bytes",
    withHead((head) => ({ ...head, labels: ["é".repeat(513), "b"] })),
    /labels\[0\].*1024 bytes/,
  ],
  ["a kind of one text", withHead((head) => ({ ...head, kinds: [["503"]] })), /kinds\[0\]/],
])("%s is refused", (_, bytes, message) => {
  expect(() => decodeBatch(bytes)).toThrow(message);
});

function outcomeOf(bytes: Uint8Array): string {
  try {
    decodeBatch(bytes);
    return "taken";
  } catch (error) {
    return error instanceof UserError ? error.code : String(error);
  }
}

test("damaged batches are refused without breaking the reader", () => {
  const bytes = encodeBatch(batchOf([sample("a", 1), sample("b", 2)]));
  fc.assert(
    fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
      const damaged = Uint8Array.from(bytes);
      damaged[at] = (damaged[at] as number) ^ flip;
      expect(() => decodeBatch(damaged)).toThrow(UserError);
      // With a valid checksum, the result is a batch or a `bad-batch` error.
      const wrong = withChecksum(damaged.subarray(0, -4));
      expect(["taken", "bad-batch"]).toContain(outcomeOf(wrong));
    }),
    { numRuns: 500 },
  );
  for (const length of bytes.keys()) {
    expect(() => decodeBatch(bytes.subarray(0, length))).toThrow(UserError);
  }
});
