import { expect, test } from "vitest";
import { dividedEntries } from "../model/samples/child-spans.ts";
import { batchOf, sample } from "../../test/support/batches.ts";
import { sampleOf } from "../model/samples/request-sample.ts";
import { readBatchHead } from "./batch-head.ts";
import { batchHead, decodeBatch, encodeBatch } from "./batch.ts";
import { samplesWithoutSecrets } from "./samples-without-secrets.ts";

const BATCH = batchOf([sample("a", 1)]);
const DETAILS = { timeMs: 1000, elapsedMicros: 5, code: "503", message: "", url: "/cart?id=1" };
const SAMPLE = { label: "a", ...sampleOf(DETAILS, (text) => text) };

const SPAN = {
  traceId: "0af7651916cd43dd8448eb211c80319c",
  spanId: "b7ad6b7169203331",
  parentId: "",
  service: "shop",
  operation: "GET /cart?token=4711",
  elapsedMicros: 5,
};

test("samples survive a round trip, and a batch without any does not name them", async () => {
  const samples = [SAMPLE, SPAN];
  expect(decodeBatch(encodeBatch({ ...BATCH, samples })).samples).toEqual(samples);
  const [, clean] = await samplesWithoutSecrets(samples);
  expect(clean).toEqual({ ...SPAN, operation: "GET /cart?token=[redacted]" });
  expect(Buffer.from(encodeBatch(BATCH)).includes('"samples"')).toBe(false);
});

test("what a sender has not redacted, the server does, between other things", async () => {
  const sent = {
    ...SAMPLE,
    url: "/cart?token=4711",
    responseBody: `{"password":"4711"},${'{"token":1},'.repeat(200)}`,
  };
  const many = Array.from({ length: 500 }, () => sent);
  const { samples = [] } = decodeBatch(encodeBatch({ ...BATCH, samples: many }));
  let turns = 0;
  const counting = setImmediate(function count() {
    turns += 1;
    if (turns < 1000) setImmediate(count);
  });
  const clean = await samplesWithoutSecrets(samples);
  clearImmediate(counting);
  expect(clean).toHaveLength(500);
  expect(JSON.stringify(clean)).not.toContain("4711");
  // The texts take at least some turns of 4 ms.
  expect(turns).toBeGreaterThan(0);
});

test("texts that grow as secrets are taken out are cut to what a batch may hold", async () => {
  const sent = { ...SAMPLE, requestBody: "k", responseBody: "key=1&".repeat(682) };
  const samples = await samplesWithoutSecrets([sent]);
  const [clean] = dividedEntries(samples).samples;
  expect(clean?.responseBody).toMatch(/^(?:key=\[redacted\]&){273}k$/);
  expect(clean).toMatchObject({ isCut: true, requestBody: "k" });
  expect(decodeBatch(encodeBatch({ ...BATCH, samples })).samples).toEqual(samples);
});

test("a batch of very many requests without texts is refused", () => {
  const empty = { label: "a", timeMs: 0, elapsedMicros: 0, hash: 0 };
  const sent = (length: number) =>
    encodeBatch({ ...BATCH, samples: Array.from({ length }, () => empty) });
  expect(() => decodeBatch(sent(65_537))).toThrow(
    "samples of its head: expected at most 65536, got 65537",
  );
  expect(decodeBatch(sent(65_536)).samples).toHaveLength(65_536);
});

test.each<[unknown, string]>([
  [{}, "samples of its head: expected a list, got {}"],
  [[5], "samples[0] of its head: expected an object, got 5"],
  [
    [{ ...SAMPLE, timeMs: undefined }],
    "timeMs of samples[0] of its head: expected a whole number from 0 to 2^53 - 1, got nothing",
  ],
  [
    [SAMPLE, { ...SAMPLE, elapsedMicros: -1 }],
    "elapsedMicros of samples[1] of its head: expected a whole number from 0 to 2^53 - 1, got -1",
  ],
  [[{ ...SAMPLE, label: "x".repeat(1025) }], "label of samples[0] of its head: expected"],
  [
    [{ ...SAMPLE, responseBody: "x".repeat(4097) }],
    "expected text of at most 4096 characters, got 4097 characters",
  ],
  [
    [{ ...SPAN, elapsedMicros: -1 }],
    "elapsedMicros of samples[0] of its head: expected a whole number from 0 to 2^53 - 1, got -1",
  ],
  [
    [{ ...SPAN, service: "x".repeat(65) }],
    "expected text of at most 64 characters, got 65 characters",
  ],
  [[{ ...SPAN, url: "/" }], "url of samples[0] of its head: expected no such member"],
  [
    [{ ...SAMPLE, constructor: 1 }],
    "constructor of samples[0] of its head: expected no such member, got 1",
  ],
])("wrong samples are refused (%#)", (samples, message) => {
  const head = Buffer.from(JSON.stringify({ ...batchHead(BATCH), samples }));
  expect(() => readBatchHead(head, () => undefined)).toThrow(message);
});

test("more than a run may keep is refused", () => {
  const large = { ...SAMPLE, url: "", responseBody: "x".repeat(4096) };
  const withSamples = (count: number) =>
    encodeBatch({ ...BATCH, samples: Array.from({ length: count }, () => large) });
  expect(decodeBatch(withSamples(1024)).samples).toHaveLength(1024);
  expect(() => decodeBatch(withSamples(1025))).toThrow(
    "expected texts of at most 4194304 characters, got 4198400",
  );
});
