import { isEqual } from "../bytes";
import { METRIC_BYTES, METRICS, METRICS_MAX, TEXT } from "./layout";

/** Of a metric: what its lines are about, the metric that followed it last, and what its lines begin with. */
export const KIND: u32 = 0;
const NEXT: u32 = 4;
const LENGTH: u32 = 8;
const BEGIN: u32 = 16;
const BEGIN_BYTES_MAX: u32 = METRIC_BYTES - BEGIN - 16;

/** Kinds of metrics; lines of other metrics are only passed over. */
export const REQUEST: u32 = 0;
export const OUTCOME: u32 = 1;
export const ACTIVE_USERS: u32 = 2;
/** A phase of the request in front of it, and any other value. */
export const PHASE: u32 = 3;
export const VALUE: u32 = 4;

let metrics: u32 = 0;
/** The metric of the last line: k6 keeps the order of its samples. */
let last: u32 = METRICS;

/** Says what lines are about that begin with the text at `TEXT`. Whether there is room for it. */
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

/** The metric of the line at `at`, or 0. */
export function metricAt(at: u32): u32 {
  const guess = load<u32>(last, NEXT);
  if (metrics != 0 && begins(guess, at)) return guess;
  const end = METRICS + metrics * METRIC_BYTES;
  for (let metric = METRICS; metric < end; metric += METRIC_BYTES) {
    if (begins(metric, at)) return metric;
  }
  return 0;
}

/** Says that a line of this metric was read. */
export function follow(metric: u32): void {
  store<u32>(last, metric, NEXT);
  last = metric;
}

/** In the order in which they were learnt. */
export function numberOfMetric(metric: u32): u32 {
  return (metric - METRICS) / METRIC_BYTES;
}

/** How much of a line its metric takes. */
export function beginLength(metric: u32): u32 {
  return load<u32>(metric, LENGTH);
}

function begins(metric: u32, at: u32): bool {
  return isEqual(metric + BEGIN, at, load<u32>(metric, LENGTH));
}
