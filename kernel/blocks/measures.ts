import {
  BUCKET,
  BUCKET_COUNT,
  BUCKETS_FROM,
  ELAPSED_MICROS,
  EXTREMES_BYTES,
  FAILED_ELAPSED_MICROS,
  FAILED_RECEIVED_BYTES,
  FAILED_REQUESTS,
  GAPS,
  KEPT,
  MAX_MICROS,
  MIN_MICROS,
  PICKED,
  PICKED_ELAPSED,
  PLAIN,
  PLAIN_SECTIONS,
  RECEIVED_BYTES,
  REQUESTS,
  RUN_ENDPOINT,
  RUN_ENTRIES,
  RUN_POINTS,
  SECOND,
  VALUES,
} from "./layout";
import { decimalOf, writeDecimals, writeValues } from "./decimals";
import { writePacked } from "./packed";
import { at, varint, writeTo } from "./writer";

/**
 * Bytes at `PLAIN`, the lengths of the sections, and at `PLAIN_SECTIONS`, the sections: what `measures-segment.ts` of
 * src/store/block reads.
 */
export let measuresBytes: u32 = 0;
export let measureSectionsBytes: u32 = 0;

/** Columns of measures, in the memory of those of points. By series: */
const KIND = RUN_ENDPOINT;
/** By row of sums. */
const SERIES = RUN_POINTS;
const COUNT = REQUESTS;
const MILLIONS = ELAPSED_MICROS;
const NANOS = RECEIVED_BYTES;
/** By row of sums of gauges. */
const GAUGE_MIN = FAILED_REQUESTS;
const GAUGE_MAX = FAILED_ELAPSED_MICROS;
const LAST = FAILED_RECEIVED_BYTES;
const LAST_AT_MILLIS = MIN_MICROS;
/** By histogram. */
const HISTOGRAM_SERIES = RUN_ENTRIES;
const MINUTE = KEPT;
const MIN = MAX_MICROS;
const MAX = PICKED_ELAPSED;
const SECTION_BYTES = EXTREMES_BYTES;

/** Indexes into `MEASURE_KINDS`. */
const GAUGE: u32 = 1;
const DISTRIBUTION: u32 = 3;

/** Encodes the rows and histograms of `series` series. Returns false if a series has no rows, or rows are out of order. */
export function encodeMeasures(series: u32, rows: u32, histograms: u32): bool {
  writeTo(PLAIN_SECTIONS);
  let row: u32 = 0;
  let gauge: u32 = 0;
  let minute: u32 = 0;
  for (let number: u32 = 0; number < series; number++) {
    const before = at;
    const first = row;
    const firstMinute = minute;
    while (row < rows && load<u32>(SERIES + (row << 2)) == number) row += 1;
    while (minute < histograms && load<u32>(HISTOGRAM_SERIES + (minute << 2)) == number)
      minute += 1;
    const count = row - first;
    if (count == 0) return false;
    const counts = COUNT + (first << 3);
    varint(count);
    writeTimes(SECOND + (first << 2), count, 1);
    writePacked(counts, count);
    writeDecimals(MILLIONS + (first << 3), NANOS + (first << 3), counts, count);
    const kind = load<u32>(KIND + (number << 2));
    if (kind == GAUGE) {
      writeGauge(first, gauge, count);
      gauge += count;
    }
    if (kind == DISTRIBUTION) writeHistograms(firstMinute, minute);
    store<f64>(SECTION_BYTES + (number << 3), <f64>(at - before));
  }
  measureSectionsBytes = at - PLAIN_SECTIONS;
  writeTo(PLAIN);
  writePacked(SECTION_BYTES, series);
  measuresBytes = at - PLAIN;
  return row == rows && minute == histograms;
}

/** Writes the number of times skipped before each row, in units of `unit` seconds. */
function writeTimes(times: u32, count: u32, unit: u32): void {
  const origin = count == 0 ? 0 : load<u32>(times) / unit;
  let next = origin;
  for (let row: u32 = 0; row < count; row++) {
    const time = load<u32>(times + (row << 2)) / unit;
    store<f64>(VALUES + (row << 3), <f64>time - <f64>next);
    next = time + 1;
  }
  varint(origin);
  writePacked(VALUES, count);
}

/** Writes the times of all last values, and rows whose values are not all their sum. `gauge`: first row of gauges. */
function writeGauge(first: u32, gauge: u32, count: u32): void {
  writePacked(LAST_AT_MILLIS + (gauge << 3), count);
  let others: u32 = 0;
  let next: u32 = 0;
  for (let row: u32 = 0; row < count; row++) {
    const place = (gauge + row) << 3;
    const sum = (first + row) << 3;
    const last = load<f64>(LAST + place);
    if (
      load<f64>(COUNT + sum) == 1 &&
      load<f64>(GAUGE_MIN + place) == last &&
      load<f64>(GAUGE_MAX + place) == last &&
      decimalOf(load<f64>(MILLIONS + sum), load<f64>(NANOS + sum)) == last
    ) {
      continue;
    }
    store<f64>(VALUES + (others << 3), <f64>(row - next));
    // Overwrites rows that were already read.
    store<f64>(GAUGE_MIN + ((gauge + others) << 3), load<f64>(GAUGE_MIN + place));
    store<f64>(GAUGE_MAX + ((gauge + others) << 3), load<f64>(GAUGE_MAX + place));
    store<f64>(LAST + ((gauge + others) << 3), last);
    others += 1;
    next = row + 1;
  }
  varint(others);
  if (others == 0) return;
  writePacked(VALUES, others);
  writeValues(GAUGE_MIN + (gauge << 3), others);
  writeValues(GAUGE_MAX + (gauge << 3), others);
  writeValues(LAST + (gauge << 3), others);
}

function writeHistograms(from: u32, until: u32): void {
  const count = until - from;
  varint(count);
  writeTimes(MINUTE + (from << 2), count, 60);
  writeValues(MIN + (from << 3), count);
  writeValues(MAX + (from << 3), count);
  let firsts: u32 = 0;
  let gaps: u32 = 0;
  for (let row = from; row < until; row++) {
    const entry = load<u32>(BUCKETS_FROM + (row << 2));
    const end = load<u32>(BUCKETS_FROM + (row << 2), 4);
    store<f64>(VALUES + ((row - from) << 3), <f64>(end - entry));
    if (entry == end) continue;
    let last = <u32>load<u16>(BUCKET + (entry << 1));
    store<f64>(PICKED + (firsts << 3), <f64>last);
    firsts += 1;
    for (let other = entry + 1; other < end; other++) {
      const bucket = <u32>load<u16>(BUCKET + (other << 1));
      store<f64>(GAPS + (gaps << 3), <f64>bucket - <f64>last - 1);
      gaps += 1;
      last = bucket;
    }
  }
  writePacked(VALUES, count);
  writePacked(PICKED, firsts);
  writePacked(GAPS, gaps);
  const first = load<u32>(BUCKETS_FROM + (from << 2));
  writePacked(BUCKET_COUNT + (first << 3), load<u32>(BUCKETS_FROM + (until << 2)) - first);
}
