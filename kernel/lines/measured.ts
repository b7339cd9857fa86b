import {
  MEASURED_MAX,
  MEASURED_METRIC,
  MEASURED_MILLIS,
  MEASURED_TAGS,
  MEASURED_VALUE,
} from "./layout";

/** Number of values recorded by the last `read`. */
export let measured: u32 = 0;

export function clearMeasured(): void {
  measured = 0;
}

/** Reports whether there is room for the values of the next line: its own, and one of the request before it. */
export function hasRoom(): bool {
  return measured + 2 <= MEASURED_MAX;
}

/** Records a value with the numbers of its metric and tags, at a time in ms since the epoch. */
export function recordValue(metric: u32, tags: u32, unixMillis: i64, value: f64): void {
  const word = measured << 2;
  store<u32>(MEASURED_METRIC + word, metric);
  store<u32>(MEASURED_TAGS + word, tags);
  store<f64>(MEASURED_MILLIS + (word << 1), <f64>unixMillis);
  store<f64>(MEASURED_VALUE + (word << 1), value);
  measured += 1;
}
