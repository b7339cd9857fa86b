import { bucketFloor } from "../../src/model/buckets/bucket-layout";
import {
  BUCKET,
  BUCKET_COUNT,
  BUCKETS,
  BUCKETS_FROM,
  COUNTS,
  DISTANCES,
  KEPT,
  POINTS_MAX,
  RANKS,
  REQUESTS,
  SECTION_KEPT,
  STREAM_BYTES,
  STREAMS,
} from "./layout";
import { bitLength } from "./packed";
import { at, byte, endBits, varint, writeBits, writeTo } from "./writer";

/** Bytes at `STREAMS`, and low bits at `DISTANCES`: what `histogram-streams.ts` of src/store/block reads. */
export let streamsBytes: u32 = 0;
export let lowBitsBytes: u32 = 0;
/** Whether buckets are numbered by `RANKS`. */
export let areRanks: bool = false;

const GAPS_VALUES_MAX: f64 = 2;
const HIGH_BITS: u32 = 4;
const ESCAPE: u32 = 255;
const COUNT_MAX: f64 = 9007199254740991;

/** Indexes into `HISTOGRAM_FORMS`; -1 if no form can represent the histograms. */
const GAPS: i32 = 0;
const COUNTED: i32 = 1;
const NO_FORM: i32 = -1;

/** Encodes the histograms of the kept points in the better form. Returns the form, or `NO_FORM`. Overwrites their buckets. */
export function encodeHistograms(sections: u32): i32 {
  const kept = load<u32>(SECTION_KEPT + (sections << 2));
  for (let index: u32 = 0; index < kept; index++) {
    if (!areBuckets(load<u32>(KEPT + (index << 2)))) return NO_FORM;
  }
  numberBuckets(kept);
  lowBitsBytes = 0;
  if (areFew(kept) && areComplete(kept)) {
    encodeGaps(sections);
    return GAPS;
  }
  encodeCounted(sections);
  return COUNTED;
}

/** Reports whether the buckets of a point are in order, and their counts integers. */
function areBuckets(point: u32): bool {
  let next: u32 = 0;
  const end = entryAt(point + 1);
  for (let entry = entryAt(point); entry < end; entry++) {
    const bucket = bucketAt(entry);
    const count = load<f64>(BUCKET_COUNT + (entry << 3));
    if (bucket < next || bucket >= BUCKETS || !isCount(count)) return false;
    next = bucket + 1;
  }
  return true;
}

/** Numbers the buckets by `RANKS` if all hold a whole millisecond. */
function numberBuckets(kept: u32): void {
  fillRanks();
  areRanks = true;
  for (let index: u32 = 0; index < kept && areRanks; index++) {
    const point = load<u32>(KEPT + (index << 2));
    const end = entryAt(point + 1);
    for (let entry = entryAt(point); entry < end && areRanks; entry++) {
      areRanks = rankOf(bucketAt(entry) + 1) != rankOf(bucketAt(entry));
    }
  }
  for (let index: u32 = 0; index < kept && areRanks; index++) {
    const point = load<u32>(KEPT + (index << 2));
    const end = entryAt(point + 1);
    for (let entry = entryAt(point); entry < end; entry++) {
      store<u16>(BUCKET + (entry << 1), <u16>rankOf(bucketAt(entry)));
    }
  }
}

let areRanksFilled: bool = false;

function fillRanks(): void {
  if (areRanksFilled) return;
  areRanksFilled = true;
  for (let bucket: u32 = 0; bucket < BUCKETS; bucket++) {
    const milli = ceil(bucketFloor(bucket) / 1000) * 1000;
    const holds: u32 = milli < bucketFloor(bucket + 1) ? 1 : 0;
    store<u16>(RANKS + (bucket << 1), <u16>(rankOf(bucket) + holds), 2);
  }
}

function rankOf(bucket: u32): u32 {
  return load<u16>(RANKS + (bucket << 1));
}

/** Reports whether used buckets hold at most `GAPS_VALUES_MAX` requests on average. */
function areFew(kept: u32): bool {
  let requests: f64 = 0;
  let buckets: u32 = 0;
  for (let index: u32 = 0; index < kept; index++) {
    const point = load<u32>(KEPT + (index << 2));
    requests += load<f64>(REQUESTS + (point << 3));
    buckets += entryAt(point + 1) - entryAt(point);
  }
  return requests <= GAPS_VALUES_MAX * <f64>buckets;
}

/** Reports whether each point has buckets, and their counts add up to its requests. */
function areComplete(kept: u32): bool {
  for (let index: u32 = 0; index < kept; index++) {
    const point = load<u32>(KEPT + (index << 2));
    let values: f64 = 0;
    const end = entryAt(point + 1);
    for (let entry = entryAt(point); entry < end; entry++) {
      values += load<f64>(BUCKET_COUNT + (entry << 3));
    }
    if (values == 0 || values != load<f64>(REQUESTS + (point << 3))) return false;
  }
  return true;
}

function encodeGaps(sections: u32): void {
  let firsts = STREAMS;
  let gaps = COUNTS;
  let lowBits = DISTANCES;
  for (let section: u32 = 0; section < sections; section++) {
    const from = load<u32>(SECTION_KEPT + (section << 2));
    const end = load<u32>(SECTION_KEPT + (section << 2), 4);
    split(from, end);
    writeTo(firsts);
    for (let index = from; index < end; index++) putHigh(firstOf(index) >> firstBits);
    setBytes(0, section, at - firsts);
    firsts = at;
    writeTo(gaps);
    for (let index = from; index < end; index++) writeGaps(load<u32>(KEPT + (index << 2)));
    setBytes(1, section, at - gaps);
    gaps = at;
    writeTo(lowBits);
    if (from < end) writeLowBits(from, end);
    setBytes(2, section, at - lowBits);
    lowBits = at;
  }
  memory.copy(firsts, COUNTS, gaps - COUNTS);
  streamsBytes = firsts + (gaps - COUNTS) - STREAMS;
  lowBitsBytes = lowBits - DISTANCES;
}

/** The smallest first bucket of the section, and the low bits of the distances from it, and of gaps, that are stored apart. */
let base: u32 = 0;
let firstBits: u32 = 0;
let gapBits: u32 = 0;

function split(from: u32, end: u32): void {
  base = BUCKETS;
  let firsts: u32 = 0;
  let gaps: u32 = 0;
  let gapSum: u32 = 0;
  for (let index = from; index < end; index++) {
    const point = load<u32>(KEPT + (index << 2));
    const first = bucketAt(entryAt(point));
    base = min(base, first);
    firsts += first;
    gaps += entryAt(point + 1) - entryAt(point) - 1;
    gapSum += bucketAt(entryAt(point + 1) - 1) - first;
  }
  firstBits = lowBitsOf(firsts - base * (end - from), end - from);
  gapBits = lowBitsOf(gapSum - gaps, gaps);
}

function lowBitsOf(sum: u32, count: u32): u32 {
  return count == 0 ? 0 : max(bitLength(sum / count), HIGH_BITS) - HIGH_BITS;
}

/** Returns the distance of the first bucket of a kept point from `base`. */
function firstOf(index: u32): u32 {
  return bucketAt(entryAt(load<u32>(KEPT + (index << 2)))) - base;
}

function putHigh(high: u32): void {
  byte(min(high, ESCAPE));
  if (high >= ESCAPE) varint(high - ESCAPE);
}

function writeGaps(point: u32): void {
  const end = entryAt(point + 1);
  let entry = entryAt(point);
  let last = bucketAt(entry);
  repeatBucket(entry);
  for (entry += 1; entry < end; entry++) {
    const bucket = bucketAt(entry);
    putHigh(1 + ((bucket - last - 1) >> gapBits));
    repeatBucket(entry);
    last = bucket;
  }
}

/** Each further request in the same bucket is a gap of 0. */
function repeatBucket(entry: u32): void {
  const count = load<f64>(BUCKET_COUNT + (entry << 3));
  if (count == 1) return;
  memory.fill(at, 0, <u32>count - 1);
  writeTo(at + <u32>count - 1);
}

function writeLowBits(from: u32, end: u32): void {
  varint(base);
  byte(firstBits);
  byte(gapBits);
  for (let index = from; index < end; index++) {
    const point = load<u32>(KEPT + (index << 2));
    const until = entryAt(point + 1);
    let entry = entryAt(point);
    let last = bucketAt(entry);
    writeBits(last - base, firstBits);
    if (gapBits == 0) continue;
    for (entry += 1; entry < until; entry++) {
      const bucket = bucketAt(entry);
      writeBits(bucket - last - 1, gapBits);
      last = bucket;
    }
  }
  endBits();
}

/** Writes sizes, distances and counts as varints. */
function encodeCounted(sections: u32): void {
  let sizes = STREAMS;
  let distances = DISTANCES;
  let counts = COUNTS;
  for (let section: u32 = 0; section < sections; section++) {
    const first = load<u32>(SECTION_KEPT + (section << 2));
    const end = load<u32>(SECTION_KEPT + (section << 2), 4);
    writeTo(sizes);
    for (let index = first; index < end; index++) {
      const point = load<u32>(KEPT + (index << 2));
      varint(entryAt(point + 1) - entryAt(point));
    }
    setBytes(0, section, at - sizes);
    sizes = at;
    writeTo(distances);
    for (let index = first; index < end; index++) {
      writeDistances(load<u32>(KEPT + (index << 2)));
    }
    setBytes(1, section, at - distances);
    distances = at;
    writeTo(counts);
    for (let index = first; index < end; index++) {
      writeCounts(load<u32>(KEPT + (index << 2)));
    }
    setBytes(2, section, at - counts);
    counts = at;
  }
  memory.copy(sizes, DISTANCES, distances - DISTANCES);
  sizes += distances - DISTANCES;
  memory.copy(sizes, COUNTS, counts - COUNTS);
  streamsBytes = sizes + (counts - COUNTS) - STREAMS;
}

function writeDistances(point: u32): void {
  let next: u32 = 0;
  const end = entryAt(point + 1);
  for (let entry = entryAt(point); entry < end; entry++) {
    varint(bucketAt(entry) - next);
    next = bucketAt(entry) + 1;
  }
}

function writeCounts(point: u32): void {
  const end = entryAt(point + 1);
  for (let entry = entryAt(point); entry < end; entry++) {
    varint(<i64>load<f64>(BUCKET_COUNT + (entry << 3)) - 1);
  }
}

function isCount(count: f64): bool {
  return count >= 1 && count <= COUNT_MAX && floor(count) == count;
}

function setBytes(stream: u32, section: u32, bytes: u32): void {
  store<f64>(STREAM_BYTES + ((stream * POINTS_MAX + section) << 3), <f64>bytes);
}

function entryAt(point: u32): u32 {
  return load<u32>(BUCKETS_FROM + (point << 2));
}

function bucketAt(entry: u32): u32 {
  return load<u16>(BUCKET + (entry << 1));
}
