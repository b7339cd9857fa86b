import { expect, test } from "vitest";
import { readAtOnce } from "../model/samples/request-sample.ts";
import { SampleRecorder } from "./sample-recorder.ts";

test("requests of two endpoints that are equal otherwise are both taken, whenever", () => {
  const recorder = new SampleRecorder({ bytesMax: 4096 });
  recorder.labels = ["cart", "checkout"];
  const request = readAtOnce({ timeMs: 1000, elapsedMicros: 5000 });
  recorder.add(0, request);
  expect(recorder.take()).toMatchObject([{ label: "cart" }]);
  recorder.add(1, request);
  expect(recorder.take()).toMatchObject([{ label: "checkout" }]);
  expect(recorder.take()).toBeUndefined();
});

test("requests of hidden labels take no place", () => {
  const recorder = new SampleRecorder({ bytesMax: 1024 }, (series) => series === "health");
  recorder.labels = ["health", "cart"];
  for (const [label, elapsedMicros] of [900, 100].entries()) {
    const request = readAtOnce({ timeMs: 1000, elapsedMicros, code: "503" });
    const isWanted = recorder.wants(label, request, request.kind);
    expect(isWanted).toBe(label === 1);
    if (isWanted) recorder.add(label, request);
  }
  expect(recorder.wants(0, { timeMs: 2000, elapsedMicros: 999 })).toBe(false);
  expect(recorder.take()).toMatchObject([{ label: "cart" }]);
});
