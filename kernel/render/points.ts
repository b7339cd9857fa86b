/** Writes loaded points as text: functions write the points `[from, until)` to `OUTPUT` and return the end. */

import { writeAverage, writeInteger, writeQuotient, writeThreeDigits } from "./digits";
import {
  BEFORE_X,
  BEFORE_Y,
  DRAFT,
  ELAPSED_MICROS,
  FAILED_ELAPSED_MICROS,
  FAILED_RECEIVED_BYTES,
  FAILED_REQUESTS,
  OUTPUT,
  RECEIVED_BYTES,
  REQUESTS,
  SECOND,
} from "./layout";

/** `","` */
const NEXT_CELL: u32 = 0x222c22;
/** `"]` */
const ROW_END: u32 = 0x5d22;
/** `","0","0` and `","0"]` */
const NO_FAILURES: u64 = 0x30_22_2c_22_30_22_2c_22;
const NO_FAILURES_END: u64 = 0x5d_22_30_22_2c_22;

/** Text before x and the digits of x except the last three: adjacent seconds share it. */
let stamp = i32x4.splat(0);
let stampBytes: u32 = 0;
let thousandsInStamp: u32 = 0;
let beforeXBytes: u32 = 0;

/** `bytes`: length of the text at `BEFORE_X`, at most 8. */
function beginX(bytes: u32): void {
  beforeXBytes = bytes;
  thousandsInStamp = u32.MAX_VALUE;
}

function turnTo(thousands: u32): void {
  thousandsInStamp = thousands;
  store<u64>(DRAFT, load<u64>(BEFORE_X));
  const end = DRAFT + beforeXBytes;
  stampBytes = (thousands == 0 ? end : writeInteger(end, thousands)) - DRAFT;
  stamp = v128.load(DRAFT);
}

function writeX(at: u32, point: u32): u32 {
  const x = load<u32>(SECOND + (point << 2));
  const thousands = x / 1000;
  if (thousands != thousandsInStamp) turnTo(thousands);
  v128.store(at, stamp);
  const end = at + stampBytes;
  return thousands == 0 ? writeInteger(end, x) : writeThreeDigits(end, x - thousands * 1000);
}

export function writeInstants(from: u32, until: u32, beforeX: u32): u32 {
  let at = OUTPUT;
  beginX(beforeX);
  for (let point = from; point < until; point++) at = writeX(at, point);
  return at;
}

/** y is the average in seconds: the column at `sum`, in microseconds, divided by the column at `count`. */
export function writeAverages(
  from: u32,
  until: u32,
  beforeX: u32,
  beforeY: u32,
  sum: u32,
  count: u32,
): u32 {
  let at = OUTPUT;
  beginX(beforeX);
  for (let point = from; point < until; point++) {
    at = writeX(at, point);
    store<u64>(at, load<u64>(BEFORE_Y));
    const place = point << 3;
    at = writeAverage(at + beforeY, load<f64>(sum + place), load<f64>(count + place));
  }
  return at;
}

/** y is the column at `sum` divided by `unit`, and by the column at `factor` unless that position is 0. */
export function writeRates(
  from: u32,
  until: u32,
  beforeX: u32,
  beforeY: u32,
  sum: u32,
  factor: u32,
  unit: f64,
): u32 {
  let at = OUTPUT;
  beginX(beforeX);
  for (let point = from; point < until; point++) {
    at = writeX(at, point);
    store<u64>(at, load<u64>(BEFORE_Y));
    const place = point << 3;
    const divisor = factor == 0 ? unit : unit * load<f64>(factor + place);
    at = writeQuotient(at + beforeY, load<f64>(sum + place), divisor);
  }
  return at;
}

/** Writes rows of csv. `timed` and `timedFailed` are the positions of the divisors of both averages. */
export function writeRows(from: u32, until: u32, beforeX: u32, timed: u32, timedFailed: u32): u32 {
  let at = OUTPUT;
  beginX(beforeX);
  for (let point = from; point < until; point++) {
    const place = point << 3;
    const requests = load<f64>(REQUESTS + place);
    const failed = load<f64>(FAILED_REQUESTS + place);
    at = nextCell(writeX(at, point));
    const elapsed = load<f64>(ELAPSED_MICROS + place);
    at = nextCell(writeAverage(at, elapsed, load<f64>(timed + place)));
    at = nextCell(writeInteger(at, <u64>(<i64>requests)));
    at = writeQuotient(at, load<f64>(RECEIVED_BYTES + place), requests);
    if (failed == 0) {
      store<u64>(at, NO_FAILURES);
      store<u64>(at, NO_FAILURES_END, 8);
      at += 14;
      continue;
    }
    const failedElapsed = load<f64>(FAILED_ELAPSED_MICROS + place);
    at = nextCell(writeAverage(nextCell(at), failedElapsed, load<f64>(timedFailed + place)));
    at = nextCell(writeInteger(at, <u64>(<i64>failed)));
    at = writeQuotient(at, load<f64>(FAILED_RECEIVED_BYTES + place), failed);
    store<u32>(at, ROW_END);
    at += 2;
  }
  return at;
}

function nextCell(at: u32): u32 {
  store<u32>(at, NEXT_CELL);
  return at + 3;
}
