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
  [["request", "total"], /roles\[1\].*one of unclear, transaction, subresult, request.*"total"/],
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

test.each<[unknown, RegExp]>([
  [["sizes", "times"], /unrecorded\[1\].*one of sizes, failure-reasons, users.*"times"/],
  ["sizes", /unrecorded of its head: expected a list/],
])("unrecorded %j is refused", (unrecorded, message) => {
  const head = Buffer.from(JSON.stringify({ ...batchHead(BATCH), unrecorded }));
  expect(() => readBatchHead(head, () => undefined)).toThrow(message);
});
