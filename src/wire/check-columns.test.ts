import { expect, test } from "vitest";
import { batchOf, sample } from "../../test/support/batches.ts";
import { failureTable, userTable } from "../../test/support/plain-details.ts";
import { decodeBatch, encodeBatch } from "./batch.ts";

const f64 = (...values: number[]): Float64Array => Float64Array.from(values);

test.each([
  ["a time of no request", { untimedRequests: f64(2) }, /point 0: expected no times/],
  [
    "a sum of times that no request has",
    {
      untimedRequests: f64(2),
      minMicros: f64(Infinity),
      maxMicros: f64(-Infinity),
      elapsedMicros: f64(1),
    },
    /point 0: expected no times/,
  ],
  [
    "a histogram below the minimum",
    // Buckets end where three digits round to the next: at 1001 µs, and at 1003.
    { minMicros: f64(1003), maxMicros: f64(2000) },
    /buckets of point 0: expected them between its extremes, 1003 and 2000/,
  ],
  [
    "a histogram above the maximum",
    { minMicros: f64(1), maxMicros: f64(999) },
    /buckets of point 0: expected them between its extremes, 1 and 999/,
  ],
  [
    "more failed requests with a time than requests with one",
    { requests: f64(3), failedRequests: f64(3), untimedRequests: f64(1) },
    /with a response time of point 0/,
  ],
  [
    "a complete histogram without its extremes",
    { minMicros: f64(-Infinity), maxMicros: f64(Infinity) },
    /extremes of point 0: expected whole numbers.* 2 requests.*, got -Infinity and Infinity/,
  ],
  [
    "a histogram of all requests with a time without its extremes",
    {
      requests: f64(3),
      untimedRequests: f64(1),
      minMicros: f64(-Infinity),
      maxMicros: f64(Infinity),
    },
    /extremes of point 0: expected whole numbers/,
  ],
])("%s is refused", (_, change, message) => {
  const batch = batchOf([sample("a", 1), sample("a", 1)]);
  const changed = { ...batch, points: { ...batch.points, ...change } };
  expect(() => decodeBatch(encodeBatch(changed))).toThrow(message);
});

test.each(["active", "started", "ended"] as const)("2^40 users %s at once are refused", (name) => {
  const users = (count: number) => ({
    ...batchOf([sample("a", 1)]),
    users: userTable([
      { generator: "", second: 1, active: 0, started: 0, ended: 0, [name]: count },
    ]),
  });
  expect(() => decodeBatch(encodeBatch(users(2 ** 40)))).toThrow(`${name} of users 0`);
  expect(decodeBatch(encodeBatch(users(2 ** 40 - 1))).users?.counts[name]).toEqual(
    f64(2 ** 40 - 1),
  );
});

const failures = (requests: number) => ({
  ...batchOf([sample("a", 1)]),
  failures: failureTable([{ endpoint: 0, code: "503", message: "", second: 1, requests }]),
});

test("2^40 failures of a second are refused", () => {
  expect(() => decodeBatch(encodeBatch(failures(2 ** 40)))).toThrow(
    /requests of failure 0: expected at most 1099511627775/,
  );
  expect(() => decodeBatch(encodeBatch(failures(2 ** 40 - 1)))).not.toThrow();
});

test("unknown extremes are accepted if some requests have no time of their own", () => {
  const batch = batchOf([sample("a", 1), sample("a", 1)]);
  const averaged = { requests: f64(3), minMicros: f64(-Infinity), maxMicros: f64(Infinity) };
  const changed = { ...batch, points: { ...batch.points, ...averaged } };
  expect(decodeBatch(encodeBatch(changed)).points).toMatchObject(averaged);
});
