import { isEqual } from "../bytes";
import { METRIC_BYTES, METRICS, METRICS_MAX, TEXT } from "./layout";

/** Offsets in an entry: kind, the metric that followed last, length and bytes of what its lines begin with. */
export const KIND: u32 = 0;
const NEXT: u32 = 4;
const LENGTH: u32 = 8;
const BEGIN: u32 = 16;
const BEGIN_BYTES_MAX: u32 = METRIC_BYTES - BEGIN - 16;

/** Kinds of metrics; lines of other kinds are skipped. */
export const REQUEST: u32 = 0;
export const OUTCOME: u32 = 1;
export const ACTIVE_USERS: u32 = 2;
/** A phase of the preceding request, and any other value. */
export const PHASE: u32 = 3;
export const VALUE: u32 = 4;

let metrics: u32 = 0;
/** Metric of the last line, which predicts the next one: k6 repeats the order of its samples. */
let last: u32 = METRICS;

/** Adds a metric whose lines begin with the `length` bytes at `TEXT`. Returns false if there is no room. */
export function learnMetric(length: u32, kind: u32): bool {
  if (metrics == METRICS_MAX || length > BEGIN_BYTES_MAX) return false;
  const metric = METRICS + metrics * METRIC_BYTES;
  store<u32>(metric, kind, KIND);
  store<u32>(metric, METRICS, NEXT);
  store<u32>(metric, length, LENGTH);
  memory.copy(metric + BEGIN, TEXT, length);
  metrics += 1;
  return true;
}

export function forgetMetrics(): void {
  metrics = 0;
  last = METRICS;
}

/** Returns the metric of the line at `at`, or 0. */
export function metricAt(at: u32): u32 {
  const guess = load<u32>(last, NEXT);
  if (metrics != 0 && begins(guess, at)) return guess;
  const end = METRICS + metrics * METRIC_BYTES;
  for (let metric = METRICS; metric < end; metric += METRIC_BYTES) {
    if (begins(metric, at)) return metric;
  }
  return 0;
}

/** Records that a line of `metric` was read. */
export function follow(metric: u32): void {
  store<u32>(last, metric, NEXT);
  last = metric;
}

/** Returns the index of a metric, in the order of `learnMetric`. */
export function numberOfMetric(metric: u32): u32 {
  return (metric - METRICS) / METRIC_BYTES;
}

/** Returns the length of what lines of a metric begin with. */
export function beginLength(metric: u32): u32 {
  return load<u32>(metric, LENGTH);
}

function begins(metric: u32, at: u32): bool {
  return isEqual(metric + BEGIN, at, load<u32>(metric, LENGTH));
}
