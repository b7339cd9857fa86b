import { expect, test } from "vitest";
import { keptOf } from "../../../test/support/kept-samples.ts";
import type { LabelledSample } from "../../model/samples/request-sample.ts";
import { k6Csv } from "./k6-csv.ts";
import { k6Json } from "./k6-json.ts";
import { recording } from "../../../test/support/recording.ts";

const JSON_LINES = recording("k6-json/gen-k6-1.8.1-main.json.gz").toString();

interface Point {
  readonly time: string;
  readonly value: number;
  readonly tags: Readonly<Record<string, string>>;
  readonly metadata?: Readonly<Record<string, string>>;
}

/** The requests of lines by `JSON.parse`, with their starts in whole milliseconds. */
function requestsIn(lines: string) {
  return lines
    .split("\n")
    .filter((line) => line.includes('"metric":"http_req_duration","type":"Point"'))
    .map((line) => {
      const { data } = JSON.parse(line) as { readonly data: Point };
      const nanos = BigInt(Date.parse(`${data.time.slice(0, 19)}Z`)) * 1_000_000n;
      const fraction = /\.(\d+)/.exec(data.time)?.[1] ?? "";
      const ended = nanos + BigInt(fraction.padEnd(9, "0"));
      const started = ended - BigInt(Math.round(data.value * 1e6));
      return {
        ...data,
        timeMs: Number(started / 1_000_000n),
        elapsedMicros: Math.round(data.value * 1000),
      };
    });
}

const seriesOf = ({ tags }: Point) =>
  JSON.stringify([tags["name"], tags["group"], tags["scenario"]]);

test("keeps the five slowest and the first three of each failure of a recording, as its lines say", () => {
  const requests = requestsIn(JSON_LINES);
  const kept = keptOf(k6Json, JSON_LINES);
  const times = new Set(kept.map(({ timeMs, elapsedMicros }) => `${timeMs} ${elapsedMicros}`));
  for (const ofSeries of Object.values(Object.groupBy(requests, seriesOf))) {
    const all = ofSeries ?? [];
    const slowest = all.toSorted((one, other) => other.elapsedMicros - one.elapsedMicros);
    const failed = all.filter(({ tags }) => tags["expected_response"] === "false");
    const kinds = Object.groupBy(failed, ({ tags }) => `${tags["status"]} ${tags["error_code"]}`);
    const first = Object.values(kinds).flatMap((each = []) =>
      each.toSorted((one, other) => one.timeMs - other.timeMs).slice(0, 3),
    );
    for (const { timeMs, elapsedMicros } of [...slowest.slice(0, 5), ...first]) {
      expect(times).toContain(`${timeMs} ${elapsedMicros}`);
    }
  }
  for (const { url, method, timeMs, elapsedMicros } of kept) {
    const same = requests.filter(
      (each) => each.timeMs === timeMs && each.elapsedMicros === elapsedMicros,
    );
    expect(same.map(({ tags }) => [tags["method"], tags["url"]])).toContainEqual([method, url]);
  }
});

const withoutHash = (samples: readonly LabelledSample[]) =>
  samples.map(({ hash: _hash, ...sample }) => sample);

/** With blanks, which the kernel leaves to the exact reader. */
const slow = JSON_LINES.replaceAll('"data":{', '"data": {');

test("the slow path keeps the same, however the bytes are cut", () => {
  const fast = keptOf(k6Json, JSON_LINES);
  expect(keptOf(k6Json, slow)).toEqual(fast);
  for (const pieceBytes of [97, 4001, 1_000_000]) {
    expect(keptOf(k6Json, JSON_LINES, { pieceBytes })).toEqual(fast);
  }
});

const point = (metric: string, value: number, trace: string) =>
  JSON.stringify({
    metric,
    type: "Point",
    data: {
      time: "2026-11-21T03:42:13.250Z",
      value,
      tags: { name: "pay", url: "http://shop.example/pay?token=SECRET", method: "POST" },
      metadata: { trace_id: trace, vu: "7" },
    },
  });

test("a request may wait for its outcome, and has its trace in the metadata", () => {
  const lines = ["a", "b"].flatMap((trace) => [
    point("http_req_duration", 300.5, trace),
    point("http_req_failed", trace === "a" ? 1 : 0, trace),
  ]);
  const details = {
    timeMs: Date.UTC(2026, 10, 21, 3, 42, 12, 949),
    elapsedMicros: 300_500,
    method: "POST",
    url: "http://shop.example/pay?token=[redacted]",
    thread: "7",
  };
  expect(withoutHash(keptOf(k6Json, `${lines.join("\n")}\n`)).toSorted(byTrace)).toEqual([
    { label: "pay", ...details, traceId: "a", code: "", message: "" },
    { label: "pay", ...details, traceId: "b" },
  ]);
});

const byTrace = (one: { traceId?: string | undefined }, other: { traceId?: string | undefined }) =>
  (one.traceId ?? "").localeCompare(other.traceId ?? "");

const HEAD =
  "metric_name,timestamp,metric_value,error,error_code,expected_response,method,name,status,url,extra_tags,metadata\n";
const row = (ms: number, trace: string) =>
  `http_req_duration,1795232533,${ms},dial: connection refused,1212,false,GET,cart,0,http://shop.example/cart,city=a,trace_id=${trace}&vu=3\n`;

test("CSV has the same", () => {
  const rows = [9, 5, 7].map((ms) => row(ms, `t${ms}`)).join("");
  expect(
    keptOf(k6Csv, HEAD + rows).map(({ traceId, url, thread, code, message, timeMs }) => [
      traceId,
      url,
      thread,
      code,
      message,
      timeMs,
    ]),
  ).toEqual(
    [9, 7, 5].map((ms) => [
      `t${ms}`,
      "http://shop.example/cart",
      "3",
      "1212",
      "dial: connection refused",
      1795232533000 - ms,
    ]),
  );
});
