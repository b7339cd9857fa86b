import {
  BUCKET,
  BUCKET_COUNT,
  BUCKETS,
  BUCKETS_FROM,
  CELLS,
  LOG,
  NEXT,
  ORDER,
  POINT_LABEL,
  POINT_SECOND,
  TALLY,
} from "./layout";
import { latencies, points } from "./record";

/** Above so many latencies of one point, counting its buckets beats sorting them. */
const SORTED_MAX: u32 = 48;

/**
 * Makes the histograms of all points, which `ORDER` lists by label and second: those that are parts
 * of one get one histogram. Returns how many entries the histograms have. The log is used up.
 */
export function sealLatencies(): u32 {
  placeLatencies();
  let used: u32 = 0;
  let ranks: u32 = 0;
  let from: u32 = 0;
  for (let at: u32 = 0; at < points; at++) {
    // All latencies of a point are placed by now, so that its next one would be that of the next.
    const to = load<u32>(NEXT + (pointAt(at) << 2));
    if (at + 1 < points && isSame(pointAt(at), pointAt(at + 1))) continue;
    store<u32>(BUCKETS_FROM + (ranks++ << 2), used);
    used = to - from > SORTED_MAX ? tally(from, to, used) : countSorted(from, to, used);
    from = to;
  }
  store<u32>(BUCKETS_FROM + (ranks << 2), used);
  return used;
}

/** A counting sort: each point has as many latencies as requests. */
function placeLatencies(): void {
  let next: u32 = 0;
  for (let at: u32 = 0; at < points; at++) {
    const point = pointAt(at);
    store<u32>(NEXT + (point << 2), next);
    next += <u32>load<f64>(CELLS + (point << 6));
  }
  for (let at: u32 = 0; at < latencies; at++) {
    const entry = load<u32>(LOG + (at << 2));
    const place = NEXT + ((entry >> 12) << 2);
    const to = load<u32>(place);
    store<u32>(place, to + 1);
    store<u16>(BUCKET + (to << 1), <u16>(entry & 0xfff));
  }
}

function pointAt(rank: u32): u32 {
  return load<u32>(ORDER + (rank << 2));
}

function isSame(left: u32, right: u32): bool {
  return (
    load<u32>(POINT_LABEL + (left << 2)) == load<u32>(POINT_LABEL + (right << 2)) &&
    load<u32>(POINT_SECOND + (left << 2)) == load<u32>(POINT_SECOND + (right << 2))
  );
}

/** Writes the histogram of the buckets `[from, to)` from `used` on, which is not behind `from`. */
function countSorted(from: u32, to: u32, used: u32): u32 {
  sort(from, to);
  let end = used;
  let last: u32 = BUCKETS;
  for (let at = from; at < to; at++) {
    const bucket = <u32>load<u16>(BUCKET + (at << 1));
    if (bucket != last) {
      store<u16>(BUCKET + (end << 1), <u16>bucket);
      store<u32>(BUCKET_COUNT + (end << 2), 0);
      last = bucket;
      end += 1;
    }
    const count = BUCKET_COUNT + ((end - 1) << 2);
    store<u32>(count, load<u32>(count) + 1);
  }
  return end;
}

/** By insertion: most points have few. */
function sort(from: u32, to: u32): void {
  for (let at = from + 1; at < to; at++) {
    const bucket = load<u16>(BUCKET + (at << 1));
    let hole = at;
    while (hole > from && load<u16>(BUCKET + ((hole - 1) << 1)) > bucket) {
      store<u16>(BUCKET + (hole << 1), load<u16>(BUCKET + ((hole - 1) << 1)));
      hole -= 1;
    }
    store<u16>(BUCKET + (hole << 1), bucket);
  }
}

/** The same as `countSorted`. */
function tally(from: u32, to: u32, used: u32): u32 {
  let lowest: u32 = BUCKETS;
  let highest: u32 = 0;
  for (let at = from; at < to; at++) {
    const bucket = <u32>load<u16>(BUCKET + (at << 1));
    const count = TALLY + (bucket << 2);
    store<u32>(count, load<u32>(count) + 1);
    lowest = min(lowest, bucket);
    highest = max(highest, bucket);
  }
  let end = used;
  for (let bucket = lowest; bucket <= highest; bucket++) {
    const count = load<u32>(TALLY + (bucket << 2));
    if (count == 0) continue;
    store<u32>(TALLY + (bucket << 2), 0);
    store<u16>(BUCKET + (end << 1), <u16>bucket);
    store<u32>(BUCKET_COUNT + (end << 2), count);
    end += 1;
  }
  return end;
}
