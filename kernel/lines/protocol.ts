import { SAMPLE_BYTES, SAMPLES, SAMPLES_MAX } from "./layout";
import { beginLength, follow, KIND, metricAt, numberOfMetric, REQUEST, VALUE } from "./metrics";
import { millionthsAt, NOT_PLAIN, numberEnd } from "./numbers";
import { FLAGS, headAt, LABEL_INDEX, LABELLED, numberOf, tagsEnd } from "./tags";
import { clearTime, hasParts, nanos, readTime, second } from "./times";

/**
 * Reads line protocol `metric head number time`, of which metric and head are known. A head is the text from the byte after
 * the metric to `value=`; its entry in the table of tags has the number of its load test as label, and is `LABELLED` if its
 * requests can be read. The form of the lines is a line feed after the time: see `useForm`.
 */

/** Number of lines of the last `readLines`, and of samples at `SAMPLES`. */
export let linesRead: u32 = 0;
export let samples: u32 = 0;
/** Load test of the line that was left because it has another one, or `NONE`. */
export let otherLoadTest: u32 = 0;

const NONE: u32 = 0xffffffff;
const BLANK: u8 = 0x20;
/** Offsets in a sample: kind with the number of the metric, head, UNIX second, nanoseconds within it, value in millionths. */
const HEAD_OF: u32 = 4;
const SECOND: u32 = 8;
const NANOS: u32 = 12;
const MILLIONTHS: u32 = 16;
/** Added to the kind if the time has a fraction of a second. */
const FINE: u32 = 0x100;
const METRIC_SHIFT: u32 = 16;

const NANOS_PER_SECOND: i64 = 1_000_000_000;

/**
 * Reads lines from `from`, the start of one, and records requests, outcomes, users and values. Stops before a line that is not plain,
 * does not end before `to`, has another load test, or a time of other than `timeDigits` digits (0: any).
 */
export function readLines(from: u32, to: u32, loadTest: u32, timeDigits: u32): u32 {
  clearTime();
  linesRead = 0;
  samples = 0;
  otherLoadTest = NONE;
  let at = from;
  let next = at < to ? lineAt(at, to, loadTest, timeDigits) : 0;
  while (next != 0) {
    at = next;
    linesRead += 1;
    next = at < to ? lineAt(at, to, loadTest, timeDigits) : 0;
  }
  return at;
}

/** Returns the start of the next line, or 0 to stop here. */
function lineAt(at: u32, to: u32, loadTest: u32, timeDigits: u32): u32 {
  const metric = metricAt(at);
  if (metric == 0) return 0;
  const head = headAt(at + beginLength(metric) - 1, to);
  if (head == 0) return 0;
  const valueFrom = tagsEnd;
  const valueTo = numberEnd(valueFrom);
  if (valueTo == valueFrom || load<u8>(valueTo) != BLANK) return 0;
  const timeFrom = valueTo + 1;
  const next = readTime(timeFrom);
  if (next == 0 || next > to || (timeDigits != 0 && next - 1 - timeFrom != timeDigits)) return 0;
  if (load<u32>(head, LABEL_INDEX) != loadTest) {
    otherLoadTest = load<u32>(head, LABEL_INDEX);
    return 0;
  }
  const kind = load<u32>(metric, KIND);
  if (kind <= VALUE) {
    const value = millionthsAt(valueFrom, valueTo, true);
    if (value == NOT_PLAIN || !canRecord(kind, head, value)) return 0;
    record(kind | (numberOfMetric(metric) << METRIC_SHIFT), head, value);
  }
  follow(metric);
  return next;
}

function canRecord(kind: u32, head: u32, value: i64): bool {
  if (samples == SAMPLES_MAX || second <= 0 || second > <i64>u32.MAX_VALUE) return false;
  if (kind != REQUEST) return true;
  const seconds = value / NANOS_PER_SECOND;
  const borrow: i64 = value - seconds * NANOS_PER_SECOND > nanos ? 1 : 0;
  return (load<u32>(head, FLAGS) & LABELLED) != 0 && second - seconds - borrow > 0;
}

function record(kind: u32, head: u32, value: i64): void {
  const sample = SAMPLES + samples * SAMPLE_BYTES;
  store<u32>(sample, hasParts ? kind | FINE : kind);
  store<u32>(sample, numberOf(head), HEAD_OF);
  store<u32>(sample, <u32>second, SECOND);
  store<u32>(sample, <u32>nanos, NANOS);
  store<f64>(sample, <f64>value, MILLIONTHS);
  samples += 1;
}
