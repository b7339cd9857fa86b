import { bucketFloor, bucketOf } from "../../model/histogram.ts";
import type { SampleWindow } from "../../model/sample-batch.ts";
import type { RowReader } from "./row-reader.ts";

/** The data point of a row. Throws `unreadable-source` if its numbers contradict each other. */
export function readWindow(row: RowReader, label: number): SampleWindow {
  const requests = row.integer("requests", 1);
  const failedRequests = row.integer("failed_requests", 0, requests);
  const untimedRequests = row.integer("untimed_requests", 0, requests);
  const timedRequests = requests - untimedRequests;
  const untimedFailedRequests = row.integer(
    "untimed_failed_requests",
    Math.max(0, failedRequests - timedRequests),
    Math.min(untimedRequests, failedRequests),
  );
  const failedMost = failedRequests === 0 ? 0 : undefined;
  const latencies = readLatencies(row);
  const distributed = latencies.reduce((sum, each) => sum + each.requests, 0);
  if (distributed > timedRequests) {
    throw row.fault("bucket_requests", `at most ${timedRequests} requests`, distributed);
  }
  return {
    label,
    second: row.integer("second", 0, 2 ** 32 - 1),
    windowSeconds: row.isNull("window_seconds") ? 1 : row.integer("window_seconds", 1, 65_535),
    requests,
    elapsedMicros: row.integer("elapsed_micros"),
    receivedBytes: row.integer("received_bytes"),
    failedRequests,
    failedElapsedMicros: row.integer("failed_elapsed_micros", 0, failedMost),
    failedReceivedBytes: row.integer("failed_received_bytes", 0, failedMost),
    untimedRequests,
    untimedFailedRequests,
    ...readExtremes(row, { timedRequests, isComplete: distributed === timedRequests }),
    latencies,
  };
}

function readLatencies(row: RowReader): SampleWindow["latencies"] {
  const micros = row.integers("bucket_micros", 0);
  const requests = row.integers("bucket_requests", 1);
  if (micros.length !== requests.length) {
    throw row.fault("bucket_requests", `${micros.length} numbers`, requests.length);
  }
  return micros.map((elapsedMicros, index) => {
    if (bucketFloor(bucketOf(elapsedMicros)) !== elapsedMicros) {
      throw row.fault("bucket_micros", "lower bounds of buckets", elapsedMicros);
    }
    return { elapsedMicros, requests: requests[index] as number };
  });
}

/** A source that records the time of every request knows the smallest and the largest. */
function readExtremes(
  row: RowReader,
  { timedRequests, isComplete }: { readonly timedRequests: number; readonly isComplete: boolean },
): Pick<SampleWindow, "minMicros" | "maxMicros"> {
  const isKnown = !row.isNull("min_micros") || !row.isNull("max_micros");
  if (!isKnown && (timedRequests === 0 || !isComplete)) {
    return { minMicros: undefined, maxMicros: undefined };
  }
  if (isKnown && timedRequests === 0) {
    throw row.fault(
      "min_micros",
      "null, as no request has a response time",
      row.integer("min_micros"),
    );
  }
  if (row.isNull("min_micros")) throw row.fault("min_micros", "a whole number", null);
  const minMicros = row.integer("min_micros");
  if (row.isNull("max_micros")) throw row.fault("max_micros", "a whole number", null);
  return { minMicros, maxMicros: row.integer("max_micros", minMicros) };
}
