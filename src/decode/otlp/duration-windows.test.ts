import { expect, test } from "vitest";
import { decodeSource } from "../../../test/support/decode-source.ts";
import { batchOf } from "../../../test/support/batches.ts";
import { pointsOfWindows } from "../../aggregate/row-aggregator.ts";
import { decodeBatch, encodeBatch } from "../../wire/batch.ts";
import type { SampleWindow } from "../../model/sample-batch.ts";
import type { SampleSink } from "../decoder.ts";
import { k6Csv } from "../k6/k6-csv.ts";
import { DurationWindows } from "./duration-windows.ts";
import type { HistogramData } from "./metric-points.ts";

const THREE = { count: 3, sum: 30, buckets: undefined, min: 1, max: 20 };

/** The window of three requests that k6 sends with these tags. */
function windowOfThree(
  tags: Readonly<Record<string, string>>,
  given: Partial<HistogramData> = {},
): SampleWindow | undefined {
  const windows: SampleWindow[] = [];
  const sink = {
    recordWindow: (window: SampleWindow) => windows.push(window),
    recordFailure: () => undefined,
    repair: () => undefined,
    reject: () => undefined,
  } as unknown as SampleSink;
  const data = { ...THREE, ...given };
  const times = {
    startNanos: 1_795_690_000_000_000_000n,
    timeNanos: 1_795_690_001_000_000_000n,
  };
  const origin = { service: "k6", scope: "k6", tags: [], process: "" };
  const point = { origin, name: "http_req_duration", unit: "ms", tags: Object.entries(tags) };
  new DurationWindows(sink, undefined).take(
    {
      ...point,
      ...times,
      isCumulative: false,
      data: { kind: "histogram", ...data },
    },
    { ...data, sinceNanos: times.startNanos },
  );
  return windows[0];
}

/** k6 leaves out tags that are not among its `systemTags`. */
test.each([
  [{ name: "a", expected_response: "false" }, 3],
  [{ name: "a", expected_response: "true" }, 0],
  [{ name: "a", error: "connection refused" }, 3],
  [{ name: "a", status: "0" }, 3],
  [{ name: "a", status: "404", expected_response: "true" }, 0],
  [{ name: "a", status: "404" }, 3],
  [{ name: "a", status: "302" }, 0],
  [{ name: "a", status: "" }, 0],
  [{ name: "a" }, 0],
])("requests of k6 with the tags %j fail as in its CSV", (tags, failed) => {
  expect(windowOfThree(tags)?.failedRequests).toBe(failed);
  const header = ["metric_name", "timestamp", "metric_value", ...Object.keys(tags)];
  const row = ["http_req_duration", "1795690000", "10.0", ...Object.values(tags)];
  const { samples } = decodeSource(k6Csv, `${header.join(",")}\n${`${row.join(",")}\n`.repeat(3)}`);
  expect(samples.reduce((sum, { failedRequests }) => sum + failedRequests, 0)).toBe(failed);
});

/** At scale 5, bucket i begins at 2^(i / 32) ms: the second one at 2^62.5, the third one at infinity. */
test.each([
  ["in microseconds", 320, 0],
  ["beyond 2^53 µs", 2000, 3],
  ["that is infinite", 2 ** 31 - 1, 3],
])("the times of a histogram with a bucket %s are known, or unknown", (_, bucket, untimed) => {
  const none = { scale: 5, zeroCount: 0, negative: new Map<number, number>() };
  const buckets = { ...none, positive: new Map([[bucket, 3]]) };
  const window = windowOfThree({}, { buckets, min: undefined, max: undefined });
  expect(window).toMatchObject({ requests: 3, latencies: untimed === 0 ? [{ requests: 3 }] : [] });
  expect(window?.untimedRequests ?? 0).toBe(untimed);
});

test("a minimum above the maximum makes response times unknown", () => {
  expect(windowOfThree({}, { min: 20, max: 5 })).toMatchObject({
    untimedRequests: 3,
    minMicros: undefined,
    maxMicros: undefined,
  });
});

/** As the counts of failures in a batch: docs/internals/formats/batch.md. */
test("2^40 requests in a histogram are rejected", () => {
  const failed = { name: "a", expected_response: "false" };
  expect(windowOfThree(failed, { count: 2 ** 40 - 1 })).toMatchObject({ requests: 2 ** 40 - 1 });
  expect(windowOfThree(failed, { count: 2 ** 40 })).toBeUndefined();
});

const NONE = { min: undefined, max: undefined };
const FINE = { scale: 5, zeroCount: 0, positive: new Map([[320, 3]]), negative: new Map() };

test.each([
  ["a minimum alone", { max: undefined }],
  ["a maximum alone", { min: undefined }],
  ["buckets and no extremes, as increases of totals have none", { ...NONE, buckets: FINE }],
])("a histogram with %s makes a batch that can be sent on", (_, given) => {
  const window = windowOfThree({}, given) as SampleWindow;
  const batch = { ...batchOf([]), labels: ["a"], points: pointsOfWindows([window]) };
  expect(decodeBatch(encodeBatch(batch)).points.requests).toEqual(Float64Array.of(3));
});

const micros = (exponent: number): number => 1000 * 2 ** exponent;

/** At scale 5, buckets 320 and 352 are (2^10, 2^10.03] and (2^11, 2^11.03] ms. */
test("the extremes of a histogram that has none lie in its first and last bucket", () => {
  const buckets = {
    ...FINE,
    positive: new Map([
      [320, 2],
      [352, 1],
    ]),
  };
  const { minMicros = 0, maxMicros = 0 } = windowOfThree({}, { ...NONE, buckets }) as SampleWindow;
  expect(minMicros).toBeGreaterThanOrEqual(Math.floor(micros(10)));
  expect(minMicros).toBeLessThanOrEqual(Math.ceil(micros(10 + 1 / 32)));
  expect(maxMicros).toBeGreaterThanOrEqual(Math.floor(micros(11)));
  expect(maxMicros).toBeLessThanOrEqual(Math.ceil(micros(11 + 1 / 32)));
});
