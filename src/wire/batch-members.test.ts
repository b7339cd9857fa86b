import { expect, test } from "vitest";
import { readBatchHead } from "./batch-head.ts";
import { batchHead, decodeBatch, encodeBatch } from "./batch.ts";
import { batchOf, sample } from "../../test/support/batches.ts";

const BATCH = batchOf([sample("a", 1), sample("b", 2)]);

test("a batch with only requests has no roles, as older servers expect", () => {
  expect(Buffer.from(encodeBatch(BATCH)).includes('"roles"')).toBe(false);
  expect(decodeBatch(encodeBatch(BATCH))).not.toHaveProperty("roles");
});

test.each<[unknown, RegExp]>([
  [["request", "total"], /roles\[1\].*one of .*unclear, transaction, subresult, request.*"total"/],
  [["request", null], /roles\[1\].*got null/],
  [["request"], /roles of its head: expected one for each of 2, got 1/],
  [{ length: 2 }, /roles of its head: expected a list/],
])("the roles %j are refused", (roles, message) => {
  const head = Buffer.from(JSON.stringify({ ...batchHead(BATCH), roles }));
  expect(() => readBatchHead(head, () => undefined)).toThrow(message);
});

test("unrecorded columns of a live source survive a round trip, an empty list too", () => {
  expect(decodeBatch(encodeBatch(BATCH))).not.toHaveProperty("unrecorded");
  for (const unrecorded of [["sizes", "users"], []] as const) {
    expect(decodeBatch(encodeBatch({ ...BATCH, unrecorded }))).toMatchObject({ unrecorded });
  }
});

test("rows not counted as sent survive a round trip", () => {
  expect(decodeBatch(encodeBatch(BATCH))).not.toHaveProperty("quality");
  const quality = {
    rejectedRows: 2,
    repairedRows: { "time-unknown": 1 },
    discrepancies: [{ figure: "requests", reported: 5, counted: 4 }],
    measurements: [{ name: "cpu", values: 3 }],
  } as const;
  expect(decodeBatch(encodeBatch({ ...BATCH, quality }))).toMatchObject({ quality });
});

test.each([
  [5],
  [{}],
  [{ rejectedRows: -1 }],
  [{ rejectedRows: 2 ** 40 }],
  [{ rejectedRows: 0, repairedRows: { other: 1 } }],
  [{ rejectedRows: 0, repairedRows: { "time-unknown": 2 ** 40 } }],
  [{ rejectedRows: 0, unreadValues: [{ name: "cpu", values: 2 ** 40 }] }],
  [{ rejectedRows: 0, discrepancies: [{ figure: "bytes", reported: 1, counted: 2 }] }],
  [{ rejectedRows: 0, measurements: [{ name: "x".repeat(1025), values: 1 }] }],
  [{ rejectedRows: 0, measurements: Array.from({ length: 51 }, () => ({ name: "", values: 1 })) }],
])("the quality %j is refused", (quality) => {
  const head = Buffer.from(JSON.stringify({ ...batchHead(BATCH), quality }));
  expect(() => readBatchHead(head, () => undefined)).toThrow(
    /quality of its head: expected counts/,
  );
});

test.each<[unknown, RegExp]>([
  [["sizes", "times"], /unrecorded\[1\].*one of sizes, failure-reasons, users.*"times"/],
  ["sizes", /unrecorded of its head: expected a list/],
  [Array(4).fill("sizes"), /unrecorded of its head: expected at most 3, got 4/],
])("unrecorded %j is refused", (unrecorded, message) => {
  const head = Buffer.from(JSON.stringify({ ...batchHead(BATCH), unrecorded }));
  expect(() => readBatchHead(head, () => undefined)).toThrow(message);
});
