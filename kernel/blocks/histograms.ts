import {
  BUCKET,
  BUCKET_COUNT,
  BUCKETS,
  BUCKETS_FROM,
  COUNTS,
  DISTANCES,
  KEPT,
  POINTS_MAX,
  REQUESTS,
  SECTION_KEPT,
  STREAM_BYTES,
  STREAMS,
} from "./layout";
import { at, varint, writeTo } from "./writer";

/** Bytes at `STREAMS`: what `encode-histograms.ts` of src/store/block writes. */
export let streamsBytes: u32 = 0;

const GAPS_VALUES_MAX: f64 = 2;
const ESCAPE: u32 = 255;
const COUNT_MAX: f64 = 9007199254740991;

/** Indexes into `HISTOGRAM_FORMS`; -1 if no form can represent the histograms. */
const GAPS: i32 = 0;
const COUNTED: i32 = 1;
const NO_FORM: i32 = -1;

/** Encodes the histograms of the kept points in the better form. Returns the form, or `NO_FORM`. */
export function encodeHistograms(sections: u32): i32 {
  const kept = load<u32>(SECTION_KEPT + (sections << 2));
  if (areFew(kept) && encodeGaps(sections, kept)) return GAPS;
  return encodeCounted(sections) ? COUNTED : NO_FORM;
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

/**
 * Writes the low bytes of the first buckets, their high bytes, then a gap for each further request. Returns false if a
 * histogram is invalid.
 */
function encodeGaps(sections: u32, kept: u32): bool {
  writeTo(STREAMS + 2 * kept);
  for (let section: u32 = 0; section < sections; section++) {
    const before = at;
    const first = load<u32>(SECTION_KEPT + (section << 2));
    const end = load<u32>(SECTION_KEPT + (section << 2), 4);
    for (let index = first; index < end; index++) {
      if (!putGaps(load<u32>(KEPT + (index << 2)))) return false;
      const bucket = load<u16>(BUCKET + (entryAt(load<u32>(KEPT + (index << 2))) << 1));
      store<u8>(STREAMS + index, <u8>bucket);
      store<u8>(STREAMS + kept + index, <u8>(bucket >> 8));
    }
    setBytes(0, section, end - first);
    setBytes(1, section, end - first);
    setBytes(2, section, at - before);
  }
  streamsBytes = at - STREAMS;
  return true;
}

/** Writes the gaps of a point. Reports whether its buckets are in order and their counts add up to its requests. */
function putGaps(point: u32): bool {
  const from = entryAt(point);
  const until = entryAt(point + 1);
  const requests = load<f64>(REQUESTS + (point << 3));
  let last = <u32>load<u16>(BUCKET + (from << 1));
  let values: f64 = 0;
  for (let entry = from; entry < until; entry++) {
    const bucket = <u32>load<u16>(BUCKET + (entry << 1));
    const count = load<f64>(BUCKET_COUNT + (entry << 3));
    if (!isCount(count) || values + count > requests) return false;
    if (entry > from) {
      if (bucket <= last) return false;
      putGap(bucket - last);
    }
    // Each further request in the same bucket is a gap of 0.
    const more = <u32>count - 1;
    if (more > 0) memory.fill(at, 0, more);
    writeTo(at + more);
    values += count;
    last = bucket;
  }
  return until > from && last < BUCKETS && values == requests;
}

function putGap(gap: u32): void {
  if (gap < ESCAPE) {
    store<u8>(at, <u8>gap);
    writeTo(at + 1);
    return;
  }
  store<u8>(at, <u8>ESCAPE);
  writeTo(at + 1);
  varint(gap - ESCAPE);
}

/** Writes sizes, distances and counts as varints. Returns false if a histogram is invalid. */
function encodeCounted(sections: u32): bool {
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
      if (!writeDistances(load<u32>(KEPT + (index << 2)))) return false;
    }
    setBytes(1, section, at - distances);
    distances = at;
    writeTo(counts);
    for (let index = first; index < end; index++) {
      if (!writeCounts(load<u32>(KEPT + (index << 2)))) return false;
    }
    setBytes(2, section, at - counts);
    counts = at;
  }
  memory.copy(sizes, DISTANCES, distances - DISTANCES);
  sizes += distances - DISTANCES;
  memory.copy(sizes, COUNTS, counts - COUNTS);
  streamsBytes = sizes + (counts - COUNTS) - STREAMS;
  return true;
}

function writeDistances(point: u32): bool {
  let next: u32 = 0;
  for (let entry = entryAt(point); entry < entryAt(point + 1); entry++) {
    const bucket = <u32>load<u16>(BUCKET + (entry << 1));
    if (bucket < next || bucket >= BUCKETS) return false;
    varint(bucket - next);
    next = bucket + 1;
  }
  return true;
}

function writeCounts(point: u32): bool {
  for (let entry = entryAt(point); entry < entryAt(point + 1); entry++) {
    const count = load<f64>(BUCKET_COUNT + (entry << 3));
    if (!isCount(count)) return false;
    varint(<i64>count - 1);
  }
  return true;
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
