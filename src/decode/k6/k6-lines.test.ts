import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type Decoded, decodeSource } from "../../../test/support/decode-source.ts";
import type { Format } from "../decoder.ts";
import { k6Csv } from "./k6-csv.ts";
import { k6Json } from "./k6-json.ts";
import { K6Kernel } from "./k6-kernel.ts";

/**
 * Compares two encodings of the same samples: the one of k6, which is read by the kernel, and one with
 * quotes or blanks, which is read in full.
 */

interface Line {
  readonly metric: string;
  readonly time: string;
  readonly value: string;
  readonly tags: Readonly<Record<string, string>>;
  /** Whether both files use the odd encoding. */
  readonly isOdd: boolean;
}

const COLUMNS = ["error", "error_code", "expected_response", "name", "status", "url"];
const SECONDS = ["1795232665", "1795232666", "1795232665914"] as const;
const DATES = [
  "2026-11-21T09:14:13+05:30",
  "2026-11-21T03:44:59.5Z",
  "2026-11-21T03:45:00.25Z",
] as const;

const tags = fc.record(
  {
    error: fc.constantFrom("EOF"),
    error_code: fc.constantFrom("1050"),
    expected_response: fc.constantFrom("true", "true", "false"),
    name: fc.constantFrom("home", "http_req_duration"),
    status: fc.constantFrom("200", "404", "0"),
    url: fc.constantFrom("https://shop.example/"),
  },
  { requiredKeys: ["name"] },
);

const metric = fc.constantFrom(
  "http_req_duration",
  "http_req_duration",
  "http_req_failed",
  "http_req_failed",
  "http_reqs",
  "vus",
  "own_metric",
);

/**
 * Generates lines with few distinct tags and times, so that they match or nearly match each other.
 */
function linesOf(times: readonly [string, ...string[]], values: readonly string[]) {
  return fc.array(tags, { minLength: 1, maxLength: 2 }).chain((sets) =>
    fc.array(
      fc.record<Line>({
        metric,
        time: fc.oneof(fc.constant<string>(times[0]), fc.constantFrom(...times)),
        value: fc.oneof(fc.constantFrom("0", "1"), fc.constantFrom(...values)),
        tags: fc.constantFrom(...sets, ...sets.map((set) => ({ ...set, name: "homf" }))),
        isOdd: fc.nat(9).map((tenth) => tenth === 0),
      }),
      { maxLength: 40 },
    ),
  );
}

function csv(lines: readonly Line[], areOdd: boolean): string {
  const header = ["metric_name", "timestamp", "metric_value", ...COLUMNS].join(",");
  const rows = lines.map((line) =>
    [line.metric, line.time, line.value, ...COLUMNS.map((column) => line.tags[column] ?? "")]
      .map((field) => (areOdd || line.isOdd ? `"${field}"` : field))
      .join(","),
  );
  return [header, ...rows, ""].join("\n");
}

function json(lines: readonly Line[], areOdd: boolean): string {
  return lines
    .map(({ metric: name, time, value, tags: own, isOdd }) => {
      const blank = areOdd || isOdd ? " " : "";
      const point = `"time":"${time}","value":${value},"tags":${JSON.stringify(own)}`;
      return `{"metric":"${name}",${blank}"type":"Point","data":{${point}}}\n`;
    })
    .join("");
}

/** Both number labels in the order in which they meet them, which differs. */
function decoded(format: Format, text: string): Omit<Decoded, "measures"> {
  const { measures, ...all } = decodeSource(format, text);
  expect(measures?.series.length ?? 0).toBe(all.measured?.all.length ?? 0);
  return all;
}

/** The bytes of the two forms differ. */
const placedByLine = ({ rejections, repairs = [], ...all }: Omit<Decoded, "measures">) => ({
  ...all,
  rejections: rejections.map(({ line, reason }) => [line, reason]),
  repairs: repairs.map(({ line, kind, reason }) => [line, kind, reason]),
});

test("CSV rows read by the kernel match rows read in full", () => {
  const values = ["0", "1", "0.000000", "1.000000", "12.5", "007.25", "0.0000004", "1.", "x", ""];
  fc.assert(
    fc.property(linesOf([...SECONDS, ...DATES, "soon"], values), (lines) => {
      expect(placedByLine(decoded(k6Csv, csv(lines, false)))).toEqual(
        placedByLine(decoded(k6Csv, csv(lines, true))),
      );
    }),
    { numRuns: 300 },
  );
});

test("JSON lines read by the kernel match lines read in full", () => {
  const values = ["0", "1", "0.5", "12.5", "1.25e+03", "0.0000004", "-1", "99999999999999"];
  fc.assert(
    fc.property(linesOf([...DATES, "soon"], values), (lines) => {
      expect(placedByLine(decoded(k6Json, json(lines, false)))).toEqual(
        placedByLine(decoded(k6Json, json(lines, true))),
      );
    }),
    { numRuns: 300 },
  );
});

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
  const tagsOfAll = { expected_response: "true", name: "home" };
  const line = (value: string): Line => ({
    metric: "http_req_duration",
    time: "2026-11-21T03:45:00.25Z",
    value,
    tags: tagsOfAll,
    isOdd: false,
  });
  const { samples, rejections } = decodeSource(
    k6Json,
    json([line("1"), line("01"), line("1.5"), line("0.5"), line("1."), line("0")], false),
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
  const lines = DATES.slice(1).map((time) => `m,${time},1,home\n`);
  kernel.learnMetric("m,", "request");
  const size = kernel.window.write(lines.join("").repeat(3));
  for (const at of [0, lines[0]?.length ?? 0]) {
    const to = kernel.window.indexOf("\n", at);
    kernel.learn(at, to, { ...tagsOf, label: 0, isUsual: true });
  }
  expect([kernel.read(0, size), kernel.lines]).toEqual([size, 6]);
});
