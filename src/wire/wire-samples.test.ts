import { expect, test } from "vitest";
import { batchOf, sample } from "../../test/support/batches.ts";
import { sampleOf } from "../model/samples/request-sample.ts";
import { readBatchHead } from "./batch-head.ts";
import { batchHead, decodeBatch, encodeBatch } from "./batch.ts";

const BATCH = batchOf([sample("a", 1)]);
const DETAILS = { timeMs: 1000, elapsedMicros: 5, code: "503", message: "", url: "/cart?id=1" };
const SAMPLE = { label: "a", ...sampleOf(DETAILS, (text) => text) };

test("samples survive a round trip, and a batch without any does not name them", () => {
  expect(decodeBatch(encodeBatch({ ...BATCH, samples: [SAMPLE] })).samples).toEqual([SAMPLE]);
  expect(Buffer.from(encodeBatch(BATCH)).includes('"samples"')).toBe(false);
});

test("what a sender has not redacted, the server does", () => {
  const sent = { ...SAMPLE, url: "/cart?token=4711", responseBody: '{"password":"4711"' };
  const { samples = [] } = decodeBatch(encodeBatch({ ...BATCH, samples: [sent] }));
  expect(JSON.stringify(samples)).not.toContain("4711");
});

test.each<[unknown, RegExp]>([
  [{}, /samples of its head: expected a list/],
  [[5], /samples\[0\] of its head: expected an object/],
  [[{ ...SAMPLE, timeMs: undefined }], /samples\[0\] of its head: there is no timeMs/],
  [
    [SAMPLE, { ...SAMPLE, elapsedMicros: -1 }],
    /samples\[1\] .*cannot read its member elapsedMicros/,
  ],
  [[{ ...SAMPLE, label: "x".repeat(1025) }], /cannot read its member label/],
  [[{ ...SAMPLE, responseBody: "x".repeat(4097) }], /cannot read its member responseBody/],
  [[{ ...SAMPLE, constructor: 1 }], /cannot read its member constructor/],
])("the samples %j are refused", (samples, message) => {
  const head = Buffer.from(JSON.stringify({ ...batchHead(BATCH), samples }));
  expect(() => readBatchHead(head, () => undefined)).toThrow(message);
});
