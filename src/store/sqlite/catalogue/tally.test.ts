import { expect, test } from "vitest";
import type { DataPoints } from "../../../model/data-points.ts";
import { NO_USERS } from "../../stored-details.ts";
import type { BatchContents } from "../../batch-digest.ts";
import { encodeEndpointSet, numbersIn } from "../../block/endpoint-set.ts";
import { inOrder } from "../../numbered-points.ts";
import {
  decodeRoleCounts,
  encodeRoleCounts,
  addTallies,
  EMPTY_TALLY,
  type Tally,
  tallyOf,
} from "./tally.ts";

/** Returns points of endpoints 2 and 5, one for each second. */
function contentsOf(
  seconds: readonly number[],
  requests: readonly number[],
  failed: readonly number[],
): BatchContents {
  const none = new Float64Array(seconds.length);
  const points: DataPoints = {
    endpoint: Uint32Array.from(seconds, (_, point) => (point === 0 ? 2 : 5)),
    second: Uint32Array.from(seconds),
    requests: Float64Array.from(requests),
    elapsedMicros: none,
    receivedBytes: none,
    failedRequests: Float64Array.from(failed),
    failedElapsedMicros: none,
    failedReceivedBytes: none,
    minMicros: none,
    maxMicros: none,
    bucketsFrom: new Uint32Array(seconds.length + 1),
    bucket: new Uint16Array(0),
    bucketCount: new Float64Array(0),
  };
  const counts = {
    endpoint: Uint32Array.of(5, 9),
    kind: Uint32Array.of(0, 0),
    second: Uint32Array.of(1, 1),
    requests: Float64Array.of(1, 1),
  };
  const failures = { kinds: [{ code: "500", message: "" }], counts };
  return { points: inOrder(points), failures, users: NO_USERS, roles: new Map() };
}

test("the tally of a batch has its requests, its seconds and all endpoints, including those that only failed", () => {
  const tallied = tallyOf(contentsOf([9, 7, 8], [3, 4, 5], [1, 0, 2]), 6);
  const { endpoints, requestEndpoints, ...numbers } = tallied;
  expect(requestEndpoints).toEqual(endpoints);
  expect(numbers).toEqual({
    roleCounts: new Map(),
    blocks: 6,
    requests: 12,
    failedRequests: 3,
    firstSecond: 7,
    lastSecond: 9,
  });
  expect([...numbersIn(endpoints)]).toEqual([2, 5, 9]);
});

test("second 0 means unknown and is neither first nor last", () => {
  expect(tallyOf(contentsOf([0, 0, 1], [1, 1, 1], [0, 0, 0]), 1)).toMatchObject({
    firstSecond: 1,
    lastSecond: 1,
  });
  const { firstSecond, lastSecond, requests } = tallyOf(contentsOf([0, 0], [1, 1], [0, 0]), 1);
  expect([firstSecond, lastSecond, requests]).toEqual([undefined, undefined, 2]);
});

test("the last second is in the point that ends last, whichever batch hides others", () => {
  const { points, ...rest } = contentsOf([90, 100, 105], [1, 1, 1], [0, 0, 0]);
  const columns = { ...points.columns, windowSeconds: Uint16Array.of(60, 10, 1) };
  const contents = { ...rest, points: inOrder(columns) };
  expect(tallyOf(contents, 1)).toMatchObject({ firstSecond: 90, lastSecond: 149 });
  const roles = new Map([[2, "ignored-request" as const]]);
  const shown = tallyOf({ ...contents, roles }, 1);
  expect(shown).toMatchObject({ firstSecond: 100, lastSecond: 109 });
});

function tally(endpoints: readonly number[], numbers: Partial<Tally>): Tally {
  return { ...EMPTY_TALLY, ...numbers, endpoints: encodeEndpointSet(endpoints) };
}

test("tallies are added up, with the earliest and the latest second of all", () => {
  const {
    endpoints,
    requestEndpoints: _,
    ...numbers
  } = addTallies([
    tally([1, 3], { blocks: 2, requests: 10, failedRequests: 1, firstSecond: 50, lastSecond: 60 }),
    tally([3, 4], { blocks: 3, requests: 20, failedRequests: 4, firstSecond: 40, lastSecond: 55 }),
    EMPTY_TALLY,
  ]);
  expect(numbers).toEqual({
    roleCounts: new Map(),
    blocks: 5,
    requests: 30,
    failedRequests: 5,
    firstSecond: 40,
    lastSecond: 60,
  });
  expect([...numbersIn(endpoints)]).toEqual([1, 3, 4]);
});

test("the sum of empty tallies is empty", () => {
  expect(addTallies([EMPTY_TALLY, EMPTY_TALLY])).toEqual(EMPTY_TALLY);
  expect(EMPTY_TALLY).toEqual({
    blocks: 0,
    endpoints: new Uint8Array(0),
    requestEndpoints: new Uint8Array(0),
    roleCounts: new Map(),
    requests: 0,
    failedRequests: 0,
    firstSecond: undefined,
    lastSecond: undefined,
  });
});

test("role counts are kept per endpoint and survive a round trip", () => {
  const roles = new Map([
    [5, "transaction"],
    [9, "unclear"],
  ] as const);
  const contents = { ...contentsOf([9, 7, 8], [3, 4, 5], [1, 0, 2]), roles };
  const { requestEndpoints, roleCounts } = tallyOf(
    { ...contents, failures: { ...contents.failures } },
    1,
  );
  expect([...numbersIn(requestEndpoints)]).toEqual([2]);
  expect(new Map(roleCounts)).toEqual(
    new Map([
      [5, { role: "transaction", requests: 9, failedRequests: 2 }],
      [9, { role: "unclear", requests: 0, failedRequests: 0 }],
    ]),
  );
  expect(decodeRoleCounts(encodeRoleCounts(roleCounts))).toEqual(roleCounts);
  expect(() => decodeRoleCounts(encodeRoleCounts(roleCounts).subarray(0, -1))).toThrow(
    "cannot be read",
  );
});
