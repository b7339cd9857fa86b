import {
  MEASURED_MAX,
  MEASURED_METRIC,
  MEASURED_MILLIS,
  MEASURED_TAGS,
  MEASURED_VALUE,
} from "./layout";

/** Values that were measured in the last reading. */
export let measured: u32 = 0;

export function clearMeasured(): void {
  measured = 0;
}

/** Whether the next line has room: it may tell of the request before it, too. */
export function hasRoom(): bool {
  return measured + 2 <= MEASURED_MAX;
}

/** Tells a value, with the numbers of its metric and tags, in ms since the epoch. */
export function tell(metric: u32, tags: u32, unixMillis: i64, value: f64): void {
  const word = measured << 2;
  store<u32>(MEASURED_METRIC + word, metric);
  store<u32>(MEASURED_TAGS + word, tags);
  store<f64>(MEASURED_MILLIS + (word << 1), <f64>unixMillis);
  store<f64>(MEASURED_VALUE + (word << 1), value);
  measured += 1;
}
