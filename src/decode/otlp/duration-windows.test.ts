import { expect, test } from "vitest";
import { decodeSource } from "../../../test/support/decode-source.ts";
import type { SampleWindow } from "../../model/sample-batch.ts";
import type { SampleSink } from "../decoder.ts";
import { k6Csv } from "../k6/k6-csv.ts";
import { DurationWindows } from "./duration-windows.ts";

/** Failed requests of three that k6 sends with these tags. */
function failedOfThree(tags: Readonly<Record<string, string>>): number | undefined {
  const windows: SampleWindow[] = [];
  const sink = {
    recordWindow: (window: SampleWindow) => windows.push(window),
    recordFailure: () => undefined,
  } as unknown as SampleSink;
  const sum = { count: 3, sum: 30, buckets: undefined };
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
      data: { kind: "histogram", ...sum, min: 1, max: 20 },
    },
    { ...sum, sinceNanos: times.startNanos },
  );
  return windows[0]?.failedRequests;
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
  expect(failedOfThree(tags)).toBe(failed);
  const header = ["metric_name", "timestamp", "metric_value", ...Object.keys(tags)];
  const row = ["http_req_duration", "1795690000", "10.0", ...Object.values(tags)];
  const { samples } = decodeSource(k6Csv, `${header.join(",")}\n${`${row.join(",")}\n`.repeat(3)}`);
  expect(samples.reduce((sum, { failedRequests }) => sum + failedRequests, 0)).toBe(failed);
});
