import { bucketFloor, bucketOf } from "../../model/buckets/bucket-layout.ts";
import type { SampleWindow } from "../../model/sample-batch.ts";
import type { ColumnName } from "./parquet-columns.ts";
import type { RowReader } from "./row-reader.ts";

/**
 * The data point of a row; as two of the same second where the times of its passed and failed requests are known. Throws
 * `unreadable-source` if its numbers contradict each other.
 */
export function readWindows(row: RowReader, label: number): readonly SampleWindow[] {
  const window = readWindow(row, label);
  return row.isNull("failed_min_micros") ? [window] : byOutcome(row, window);
}

function readWindow(row: RowReader, label: number): SampleWindow {
  const requests = row.integer("requests", 1);
  const failedRequests = row.integer("failed_requests", 0, requests);
  const untimedRequests = row.integer("untimed_requests", 0, requests);
  const timedRequests = requests - untimedRequests;
  const untimedFailedRequests = row.integer(
    "untimed_failed_requests",
    Math.max(0, failedRequests - timedRequests),
    Math.min(untimedRequests, failedRequests),
  );
  const [elapsedMicros, receivedBytes] = [
    row.integer("elapsed_micros"),
    row.integer("received_bytes"),
  ];
  const failedMost = (all: number): number => (failedRequests === 0 ? 0 : all);
  const latencies = readLatencies(row, "bucket_micros", "bucket_requests");
  const distributed = latencies.reduce((sum, each) => sum + each.requests, 0);
  if (distributed > timedRequests) {
    throw row.fault("bucket_requests", `at most ${timedRequests} requests`, distributed);
  }
  return {
    label,
    second: row.integer("second", 0, 2 ** 32 - 1),
    windowSeconds: row.isNull("window_seconds") ? 1 : row.integer("window_seconds", 1, 65_535),
    requests,
    elapsedMicros,
    receivedBytes,
    failedRequests,
    failedElapsedMicros: row.integer("failed_elapsed_micros", 0, failedMost(elapsedMicros)),
    failedReceivedBytes: row.integer("failed_received_bytes", 0, failedMost(receivedBytes)),
    untimedRequests,
    untimedFailedRequests,
    ...readExtremes(row, { timedRequests, isComplete: distributed === timedRequests }),
    latencies,
  };
}

function byOutcome(row: RowReader, all: SampleWindow): readonly SampleWindow[] {
  const { untimedRequests = 0, untimedFailedRequests = 0 } = all;
  const latencies = readLatencies(row, "failed_bucket_micros", "failed_bucket_requests");
  const counts = new Map(all.latencies.map((each) => [each.elapsedMicros, each.requests]));
  for (const { elapsedMicros, requests } of latencies) {
    const left = (counts.get(elapsedMicros) ?? 0) - requests;
    if (left < 0) throw row.fault("failed_bucket_requests", "part of bucket_requests", requests);
    counts.set(elapsedMicros, left);
  }
  const failed: SampleWindow = {
    ...all,
    requests: all.failedRequests,
    elapsedMicros: all.failedElapsedMicros,
    receivedBytes: all.failedReceivedBytes,
    untimedRequests: untimedFailedRequests,
    minMicros: row.integer("failed_min_micros"),
    maxMicros: row.integer("failed_max_micros", row.integer("failed_min_micros")),
    latencies,
  };
  const passed: SampleWindow = {
    ...all,
    requests: all.requests - all.failedRequests,
    elapsedMicros: all.elapsedMicros - all.failedElapsedMicros,
    receivedBytes: all.receivedBytes - all.failedReceivedBytes,
    failedRequests: 0,
    failedElapsedMicros: 0,
    failedReceivedBytes: 0,
    untimedRequests: untimedRequests - untimedFailedRequests,
    untimedFailedRequests: 0,
    minMicros: row.integer("passed_min_micros"),
    maxMicros: row.integer("passed_max_micros", row.integer("passed_min_micros")),
    latencies: [...counts].flatMap(([elapsedMicros, requests]) =>
      requests === 0 ? [] : [{ elapsedMicros, requests }],
    ),
  };
  for (const each of [failed, passed]) {
    const timed = each.requests - (each.untimedRequests ?? 0);
    const distributed = each.latencies.reduce((sum, { requests }) => sum + requests, 0);
    const isKnown = timed > 0 && distributed === timed;
    if (!isKnown) throw row.fault("failed_bucket_requests", "each failed request", distributed);
  }
  return [failed, passed];
}

function readLatencies(
  row: RowReader,
  microsName: ColumnName,
  requestsName: ColumnName,
): SampleWindow["latencies"] {
  const micros = row.integers(microsName, 0);
  const requests = row.integers(requestsName, 1);
  if (micros.length !== requests.length) {
    throw row.fault(requestsName, `${micros.length} numbers`, requests.length);
  }
  return micros.map((elapsedMicros, index) => {
    if (bucketFloor(bucketOf(elapsedMicros)) !== elapsedMicros) {
      throw row.fault(microsName, "lower bounds of buckets", elapsedMicros);
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
