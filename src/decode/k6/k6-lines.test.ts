import { expect, test } from "vitest";
import { decodeSource } from "../../../test/support/decode-source.ts";
import { k6Csv } from "./k6-csv.ts";
import { k6Json } from "./k6-json.ts";
import { K6Kernel } from "./k6-kernel.ts";

test("learnt tags depend on the columns of their header", () => {
  const row = "http_req_duration,1795232665,12.5,home,cart";
  const { samples } = decodeSource(
    k6Csv,
    [
      `metric_name,timestamp,metric_value,name,url\n${row}\n${row}\n`,
      `metric_name,timestamp,metric_value,url,name\n${row}\n${row}\n`,
      `metric_name,timestamp,url,metric_value,name\n${row}\n`,
    ].join(""),
  );
  expect(samples.map(({ label }) => label)).toEqual(["home", "home", "cart", "cart"]);
});

test("an invalid JSON number is rejected even if the rest of its line is known", () => {
  const { samples, rejections } = decodeSource(
    k6Json,
    ["1", "01", "1.5", "0.5", "1.", "0"]
      .map(
        (value) =>
          `{"metric":"http_req_duration","type":"Point","data":{"time":"2026-11-21T03:45:00.25Z","value":${value},"tags":{"expected_response":"true","name":"home"}}}\n`,
      )
      .join(""),
  );
  expect(samples.map(({ elapsedMicros }) => elapsedMicros)).toEqual([1000, 1500, 500, 0]);
  expect(rejections.map(({ line: number }) => number)).toEqual([2, 5]);
});

test("an outcome with the tags of a request does not apply to another request after it", () => {
  const { samples } = decodeSource(
    k6Csv,
    [
      "metric_name,timestamp,metric_value,expected_response,name",
      "http_req_duration,1795232665,12.5,true,home",
      'http_req_duration,1795232665,12.5,true,"cart"',
      "http_req_failed,1795232665,1,true,home",
      "",
    ].join("\n"),
  );
  expect(samples.map(({ failedRequests }) => failedRequests)).toEqual([0, 0]);
});

test("an outcome without effect is rejected if it is not JSON", () => {
  const request = `{"metric":"http_req_duration","type":"Point","data":{"time":"2026-11-21T03:45:00Z","value":1,"tags":{"expected_response":"false"}}}\n`;
  const outcome = request.replace("duration", "failed").replace('failed"', 'failed""');
  const { samples, rejections } = decodeSource(k6Json, request + outcome);
  expect(samples.length).toBe(1);
  expect(rejections.map(({ line }) => line)).toEqual([2]);
});

test("the kernel reads times that alternate between two minutes", () => {
  const form = { beforeMetric: "", beforeTime: ",", beforeValue: ",", allowsZeros: true };
  const kernel = K6Kernel.take(form);
  const tagsOf = { failed: false, isMarked: true, hasStatus: true, isEmptyLabel: false };
  const times = ["2026-11-21T03:44:59.5Z", "2026-11-21T03:45:00.25Z"];
  const lines = times.map((time) => `m,${time},1,home\n`);
  kernel.learnMetric("m,", "request");
  const size = kernel.window.write(lines.join("").repeat(3));
  for (const at of [0, lines[0]?.length ?? 0]) {
    const to = kernel.window.indexOf("\n", at);
    kernel.learn(at, to, { ...tagsOf, label: 0, isUsual: true });
  }
  expect([kernel.read(0, size), kernel.lines]).toEqual([size, 6]);
});
