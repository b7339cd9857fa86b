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
