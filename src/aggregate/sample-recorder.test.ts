import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { readAtOnce } from "../model/samples/request-sample.ts";
import { SampleRecorder } from "./sample-recorder.ts";

test("requests of two endpoints that are equal otherwise are both taken, whenever", () => {
  const recorder = new SampleRecorder({ bytesMax: 4096 });
  recorder.nameOf = (label) => ["cart", "checkout"][label] as string;
  const request = readAtOnce({ timeMs: 1000, elapsedMicros: 5000 });
  recorder.add(0, request);
  expect(recorder.take()).toMatchObject([{ label: "cart" }]);
  recorder.add(1, request);
  expect(recorder.take()).toMatchObject([{ label: "checkout" }]);
  expect(recorder.take()).toBeUndefined();
});

test("requests of hidden labels take no place", () => {
  const recorder = new SampleRecorder({ bytesMax: 1024 }, (series) => series === "health");
  recorder.nameOf = (label) => ["health", "cart"][label] as string;
  for (const [label, elapsedMicros] of [900, 100].entries()) {
    const request = readAtOnce({ timeMs: 1000, elapsedMicros, code: "503" });
    const isWanted = recorder.wants(label, request, request.kind);
    expect(isWanted).toBe(label === 1);
    if (isWanted) recorder.add(label, request);
  }
  expect(recorder.wants(0, { timeMs: 2000, elapsedMicros: 999 })).toBe(false);
  expect(recorder.take()).toMatchObject([{ label: "cart" }]);
});

test("what is kept of large bodies does not keep them whole", () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const recorder = new SampleRecorder({ bytesMax: 4 * 1024 * 1024 });
  const labels = Array.from({ length: 100 }, (_, at) => `label ${at}`);
  recorder.nameOf = (label) => labels[label] as string;
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let label = 0; label < labels.length; label++) {
    const responseBody = Buffer.alloc(1_000_000, "x").toString("latin1");
    recorder.add(label, readAtOnce({ timeMs: label, elapsedMicros: 1, responseBody }));
    if (recorder.isMuch) recorder.take();
  }
  expect(recorder.take()?.length).toBeGreaterThan(0);
  collect();
  // Took 100 MB.
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(20_000_000);
});

test("requests are made whole one by one, and not again when they are taken", () => {
  const recorder = new SampleRecorder({ bytesMax: 4096 });
  recorder.nameOf = (label) => ["cart"][label] as string;
  let read = 0;
  for (const timeMs of [1000, 2000, 3000]) {
    const times = { timeMs, elapsedMicros: 5 };
    const whole = () => {
      read += 1;
      return { ...times, url: "/cart?token=4711" };
    };
    recorder.add(0, { ...times, kind: undefined, bytes: 16, read: whole });
  }
  const reads = Array.from(recorder.makeWhole(), () => read);
  expect(reads).toEqual([1, 2, 3]);
  expect(recorder.take()).toHaveLength(3);
  expect(read).toBe(3);
});
