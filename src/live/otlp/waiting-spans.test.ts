import { expect, test } from "vitest";
import { batchOf, sample } from "../../../test/support/batches.ts";
import { sampleOf } from "../../model/samples/request-sample.ts";
import type { ChildSpan } from "../../model/samples/child-spans.ts";
import { storeWaiting, WaitingSpans } from "./waiting-spans.ts";
import { memoryStoreWith } from "../../../test/support/stored-runs.ts";

const traceOf = (number: number): string => number.toString(16).padStart(32, "0");

const spanOf = (number: number, more: Partial<ChildSpan> = {}): ChildSpan => ({
  traceId: traceOf(number),
  spanId: number.toString(16).padStart(16, "0"),
  parentId: "",
  service: "shop",
  operation: "GET /cart",
  elapsedMicros: 1000,
  ...more,
});

test("at most 4 MB of spans wait: the latest, and of the older ones the longest", () => {
  const waiting = new WaitingSpans();
  const waits = (number: number): boolean => waiting.of(new Set([traceOf(number)])).length === 1;
  waiting.add(spanOf(0, { elapsedMicros: 9_000_000 }));
  for (let number = 1; number < 60_000; number++) {
    waiting.add(spanOf(number));
    expect(waiting.bytes).toBeLessThanOrEqual(4 * 1024 * 1024);
  }
  expect([0, 1, 59_000, 59_999].map(waits)).toEqual([true, false, true, true]);
});

test("a span waits once, at most ten of a trace, and none that is stored", () => {
  const waiting = new WaitingSpans();
  const ofTrace = (elapsedMicros: number) =>
    spanOf(elapsedMicros, { traceId: traceOf(7), elapsedMicros });
  for (let micros = 1; micros <= 15; micros++) {
    waiting.add(ofTrace(micros));
    waiting.add(ofTrace(micros));
  }
  const spans = waiting.of(new Set([traceOf(7)]));
  expect(spans.map(({ elapsedMicros }) => elapsedMicros)).toEqual([
    15, 14, 13, 12, 11, 10, 9, 8, 7, 6,
  ]);
  waiting.stored(spans);
  expect(waiting.bytes).toBe(0);
});

test("a span that comes while others of its trace are stored waits on", () => {
  const waiting = new WaitingSpans();
  const [first, second] = [1, 2].map((number) => spanOf(number, { traceId: traceOf(7) })) as [
    ChildSpan,
    ChildSpan,
  ];
  const wait = () => waiting.of(new Set([traceOf(7)]));
  waiting.add(first);
  const storing = wait();
  waiting.add(second);
  waiting.stored(storing);
  expect(wait().map(({ spanId }) => spanId)).toEqual([second.spanId]);
  waiting.stored(wait());
  expect(waiting.bytes).toBe(0);
});

test("names are cut to whole characters, without secrets", () => {
  const waiting = new WaitingSpans();
  const operation = `GET /?token=${"s".repeat(200)}&a=\ud800${"ü".repeat(100_000)}`;
  waiting.add(spanOf(1, { service: "ü".repeat(100), operation }));
  expect(waiting.bytes).toBeLessThan(2000);
  const [span] = waiting.of(new Set([traceOf(1)]));
  // 64 and 128 bytes of UTF-8.
  expect(span?.service).toBe("ü".repeat(32));
  expect(span?.operation).toBe(`GET /?token=[redacted]&a=\ufffd${"ü".repeat(50)}`);
});

test("a span that comes again, or is shorter than ten that are stored, is not stored", async () => {
  const kept = { timeMs: 1, elapsedMicros: 100, traceId: traceOf(7) };
  const samples = [{ label: "a", ...sampleOf(kept, (text) => text) }];
  const { points } = await memoryStoreWith({ ...batchOf([sample("a", 1)]), samples });
  const sent: number[][] = [];
  const observed = {
    ...points,
    append(batch: Parameters<typeof points.append>[0]) {
      sent.push(batch.samples?.map(({ elapsedMicros }) => elapsedMicros) ?? []);
      return points.append(batch);
    },
  };
  const waiting = new WaitingSpans();
  const add = async (...times: readonly number[]): Promise<void> => {
    for (const elapsedMicros of times) {
      waiting.add(spanOf(elapsedMicros, { traceId: traceOf(7), elapsedMicros }));
    }
    await storeWaiting(observed, "run", waiting);
  };
  await add(20, 30);
  await add(20, 30, 25);
  expect(sent).toEqual([[30, 20], [25]]);
  await add(31, 32, 33, 34, 35, 36, 37, 38);
  await add(21);
  expect(sent.slice(2)).toEqual([[38, 37, 36, 35, 34, 33, 32, 31]]);
  expect(waiting.bytes).toBe(0);
});
