import { BUCKETS, CELLS, LOG_BUCKETS, NEXT, ORDER, TALLIED, TALLY } from "./layout";
import { points } from "./record";

/** With more latencies in a point, counting its buckets is faster than sorting them. */
const SORTED_MAX: u32 = 48;

/**
 * Sorts the buckets of the `count` entries at `log` into `buckets`, by point in the order of `ORDER`. The cell at offset
 * `cell` is the number of entries of each point. Afterwards, `NEXT` holds the end index of each point.
 */
export function placeLatencies(log: u32, count: u32, cell: u32, buckets: u32): void {
  let next: u32 = 0;
  for (let at: u32 = 0; at < points; at++) {
    const point = load<u32>(ORDER + (at << 2));
    store<u32>(NEXT + (point << 2), next);
    next += <u32>load<f64>(CELLS + (point << 6) + cell);
  }
  for (let at: u32 = 0; at < count; at++) {
    const place = NEXT + (load<u32>(log + (at << 2)) << 2);
    const to = load<u32>(place);
    store<u32>(place, to + 1);
    store<u16>(buckets + (to << 1), load<u16>(log + LOG_BUCKETS + (at << 1)));
  }
}

/** Writes the histogram of the buckets `[from, to)` from index `used`, at most `from`. Returns its end index. */
export function writeHistogram(buckets: u32, counts: u32, from: u32, to: u32, used: u32): u32 {
  return to - from > SORTED_MAX
    ? tally(buckets, counts, from, to, used)
    : countSorted(buckets, counts, from, to, used);
}

function countSorted(buckets: u32, counts: u32, from: u32, to: u32, used: u32): u32 {
  sort(buckets, from, to);
  let end = used;
  let last: u32 = BUCKETS;
  let count: f64 = 0;
  for (let at = from; at < to; at++) {
    const bucket = <u32>load<u16>(buckets + (at << 1));
    if (bucket != last) {
      if (count != 0) store<f64>(counts + (end << 3) - 8, count);
      store<u16>(buckets + (end << 1), <u16>bucket);
      last = bucket;
      end += 1;
      count = 0;
    }
    count += 1;
  }
  if (count != 0) store<f64>(counts + (end << 3) - 8, count);
  return end;
}

/** Insertion sort: most points have few latencies. */
function sort(buckets: u32, from: u32, to: u32): void {
  for (let at = from + 1; at < to; at++) {
    const bucket = load<u16>(buckets + (at << 1));
    let hole = at;
    while (hole > from && load<u16>(buckets + ((hole - 1) << 1)) > bucket) {
      store<u16>(buckets + (hole << 1), load<u16>(buckets + ((hole - 1) << 1)));
      hole -= 1;
    }
    store<u16>(buckets + (hole << 1), bucket);
  }
}

function tally(buckets: u32, counts: u32, from: u32, to: u32, used: u32): u32 {
  let lowest: u32 = BUCKETS;
  let highest: u32 = 0;
  for (let at = from; at < to; at++) {
    const bucket = <u32>load<u16>(buckets + (at << 1));
    const count = TALLY + (bucket << 2);
    store<u32>(count, load<u32>(count) + 1);
    const word = TALLIED + ((bucket >> 6) << 3);
    store<u64>(word, load<u64>(word) | ((<u64>1) << (bucket & 63)));
    lowest = min(lowest, bucket);
    highest = max(highest, bucket);
  }
  let end = used;
  for (let word = lowest >> 6; word <= highest >> 6; word++) {
    let bits = load<u64>(TALLIED + (word << 3));
    store<u64>(TALLIED + (word << 3), 0);
    for (; bits != 0; bits &= bits - 1) {
      const bucket = (word << 6) + <u32>ctz(bits);
      store<u16>(buckets + (end << 1), <u16>bucket);
      store<f64>(counts + (end << 3), <f64>load<u32>(TALLY + (bucket << 2)));
      store<u32>(TALLY + (bucket << 2), 0);
      end += 1;
    }
  }
  return end;
}
