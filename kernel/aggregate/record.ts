import {
  CELLS,
  ELAPSED_MICROS,
  FAILED_REQUESTS,
  LABEL,
  LOG,
  POINT_LABEL,
  POINT_SECOND,
  RECEIVED_BYTES,
  SECOND,
  SLOT_BITS,
  SLOTS,
} from "./layout";

/** Open points, and entries of the log. */
export let points: u32 = 0;
export let latencies: u32 = 0;

/** 2^32 / golden ratio: the multiples of it are spread evenly. */
const SPREAD: u32 = 0x9e3779b1;
const SLOT_MASK: u32 = (1 << SLOT_BITS) - 1;

/** Adds the first rows of the batch, each of them one request; there is room for as many points. */
export function record(rows: u32): void {
  for (let row: u32 = 0; row < rows; row++) {
    const point = pointOf(load<u32>(LABEL + (row << 2)), load<u32>(SECOND + (row << 2)));
    const elapsed = load<f64>(ELAPSED_MICROS + (row << 3));
    const failed = <f64>load<u32>(FAILED_REQUESTS + (row << 2));
    const sums = f64x2.replace_lane(v128.load64_splat(RECEIVED_BYTES + (row << 3)), 0, elapsed);
    addTo(CELLS + (point << 6), sums, failed);
    store<u32>(LOG + (latencies << 2), (point << 12) | bucketOf(<u64>elapsed));
    latencies += 1;
  }
}

/** Forgets all points. */
export function clear(): void {
  points = 0;
  latencies = 0;
}

/**
 * The cells of a point are four pairs: requests, sums, sums of failed ones, extremes of passed ones. `failed` is 0
 * or 1.
 */
function addTo(cell: u32, sums: v128, failed: f64): void {
  const counts = f64x2.replace_lane(f64x2.splat(1), 1, failed);
  v128.store(cell, f64x2.add(v128.load(cell), counts));
  v128.store(cell, f64x2.add(v128.load(cell, 16), sums), 16);
  const failedSums = f64x2.mul(sums, f64x2.splat(failed));
  v128.store(cell, f64x2.add(v128.load(cell, 32), failedSums), 32);
  if (failed != 0) return;
  const elapsed = v128.shuffle<f64>(sums, sums, 0, 0);
  const extremes = v128.load(cell, 48);
  const lower = f64x2.pmin(extremes, elapsed);
  const higher = f64x2.pmax(extremes, elapsed);
  v128.store(cell, v128.shuffle<f64>(lower, higher, 0, 3), 48);
}

/**
 * The open point of a label and a second. Its slot tells where it is if it was the last one there;
 * that the point says the same makes sure of it, whatever the slot was used for. Points that lost
 * their slot to others stay as parts, which sealing merges.
 */
function pointOf(label: u32, second: u32): u32 {
  // The labels of a second lie side by side, and the seconds far apart.
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
  store<f64>(cell, Infinity, 48);
  store<f64>(cell, -Infinity, 56);
  return point;
}

/** `bucketOf` of src/model/histogram.ts: exact below 128, then 64 buckets for each power of two. */
function bucketOf(value: u64): u32 {
  const shift: u64 = 57 - clz(value | 64);
  return <u32>((shift << 6) + (value >> shift));
}
