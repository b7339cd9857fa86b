import { bucketOf } from "../../src/model/buckets/bucket-layout";
import {
  CELLS,
  ELAPSED_MICROS,
  FAILED_EXTREMES,
  FAILED_LOG,
  FAILED_REQUESTS,
  LABEL,
  LOG,
  LOG_BUCKETS,
  POINT_LABEL,
  POINT_SECOND,
  RECEIVED_BYTES,
  SECOND,
  SLOT_BITS,
  SLOTS,
} from "./layout";

/** Number of open points, and of entries in both logs. */
export let points: u32 = 0;
export let latencies: u32 = 0;
export let failedLatencies: u32 = 0;

/** 2^32 / golden ratio, whose multiples are spread evenly. */
const SPREAD: u32 = 0x9e3779b1;
const SLOT_MASK: u32 = (1 << SLOT_BITS) - 1;

/** Adds the first `rows` rows of the batch, one request each. There must be room for as many points and latencies. */
export function record(rows: u32): void {
  for (let row: u32 = 0; row < rows; row++) {
    const point = pointOf(load<u32>(LABEL + (row << 2)), load<u32>(SECOND + (row << 2)));
    const elapsed = load<f64>(ELAPSED_MICROS + (row << 3));
    const failed = load<u32>(FAILED_REQUESTS + (row << 2));
    const bucket = <u32>bucketOf(elapsed);
    const sums = f64x2.replace_lane(v128.load64_splat(RECEIVED_BYTES + (row << 3)), 0, elapsed);
    store<u32>(LOG + (latencies << 2), point);
    store<u16>(LOG + LOG_BUCKETS + (latencies << 1), <u16>bucket);
    latencies += 1;
    if (failed == 0) addPassed(CELLS + (point << 6), sums);
    else {
      addFailed(CELLS + (point << 6), sums, FAILED_EXTREMES + (point << 4));
      store<u32>(FAILED_LOG + (failedLatencies << 2), point);
      store<u16>(FAILED_LOG + LOG_BUCKETS + (failedLatencies << 1), <u16>bucket);
      failedLatencies += 1;
    }
  }
}

/** Removes all points and latencies. */
export function clear(): void {
  points = 0;
  latencies = 0;
  failedLatencies = 0;
}

/** Cells are four pairs: requests and failed ones, sums, sums of failed requests, extremes of passed requests. */
function addPassed(cell: u32, sums: v128): void {
  store<f64>(cell, load<f64>(cell) + 1);
  v128.store(cell, f64x2.add(v128.load(cell, 16), sums), 16);
  widen(cell + 48, sums);
}

function addFailed(cell: u32, sums: v128, extremes: u32): void {
  const counts = v128.load(cell);
  if (f64x2.extract_lane(counts, 1) == 0) clearExtremes(extremes);
  v128.store(cell, f64x2.add(counts, f64x2.splat(1)));
  v128.store(cell, f64x2.add(v128.load(cell, 16), sums), 16);
  v128.store(cell, f64x2.add(v128.load(cell, 32), sums), 32);
  widen(extremes, sums);
}

function widen(extremes: u32, sums: v128): void {
  const elapsed = v128.shuffle<f64>(sums, sums, 0, 0);
  const known = v128.load(extremes);
  const lower = f64x2.pmin(known, elapsed);
  const higher = f64x2.pmax(known, elapsed);
  v128.store(extremes, v128.shuffle<f64>(lower, higher, 0, 3));
}

function clearExtremes(extremes: u32): void {
  store<f64>(extremes, Infinity);
  store<f64>(extremes, -Infinity, 8);
}

/**
 * Returns the open point of a label and second. A new one is opened if the point in the slot, which may be outdated, has
 * another label or second. Points that lost their slot stay open as parts, which `seal` merges.
 */
function pointOf(label: u32, second: u32): u32 {
  // Labels of the same second have adjacent slots; seconds are far apart.
  const slot = SLOTS + ((((second * SPREAD) >>> (32 - SLOT_BITS)) + label) & SLOT_MASK) * 4;
  const point = load<u32>(slot);
  if (
    point < points &&
    load<u32>(POINT_LABEL + (point << 2)) == label &&
    load<u32>(POINT_SECOND + (point << 2)) == second
  ) {
    return point;
  }
  store<u32>(slot, points);
  return open(label, second);
}

function open(label: u32, second: u32): u32 {
  const point = points++;
  store<u32>(POINT_LABEL + (point << 2), label);
  store<u32>(POINT_SECOND + (point << 2), second);
  const cell = CELLS + (point << 6);
  memory.fill(cell, 0, 48);
  clearExtremes(cell + 48);
  return point;
}
