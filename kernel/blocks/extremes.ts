import { bucketFloor, bucketWidth } from "../../src/model/buckets/bucket-layout";
import {
  BUCKET,
  BUCKETS,
  BUCKETS_FROM,
  EXTREMES,
  EXTREMES_BYTES,
  KEPT,
  MAX_MICROS,
  MIN_MICROS,
  PICKED,
  PICKED_BYTES,
  PICKED_ELAPSED,
  PLACE_BITS,
  PLACE_FIRST,
  SECTION_KEPT,
  VALUES,
} from "./layout";
import { bitLength, commonFactor, writePacked } from "./packed";
import { at, byte, endBits, forgetBits, varint, writeBits, writeTo } from "./writer";

/** Bytes at `EXTREMES`: what `extremes.ts` of src/store/block reads. */
export let extremesBytes: u32 = 0;
/** Whether the extremes of some kept points are not known. */
export let areSomeAbsent: bool = false;

const AS_COLUMNS: u32 = 0;
const IN_BUCKETS: u32 = 1;
const SOME_ABSENT: u32 = 2;
const NOT_COMPUTED: u32 = 255;

/** Factor for which `PLACE_FIRST` and `PLACE_BITS` are computed. */
let factorOfPlaces: f64 = 0;

export function encodeExtremes(sections: u32): void {
  writeTo(EXTREMES);
  areSomeAbsent = false;
  for (let section: u32 = 0; section < sections; section++) {
    const before = at;
    const first = load<u32>(SECTION_KEPT + (section << 2));
    writeAll(KEPT + (first << 2), load<u32>(SECTION_KEPT + (section << 2), 4) - first);
    store<f64>(EXTREMES_BYTES + (section << 3), <f64>(at - before));
  }
  extremesBytes = at - EXTREMES;
}

/** Reports whether a point has extremes: without response times, or if the source does not record them, they are infinite. */
export function isKnown(point: u32): bool {
  return abs(load<f64>(MIN_MICROS + (point << 3))) != Infinity;
}

/** Writes the extremes of `count` points, whose indexes are at `points`. */
function writeAll(points: u32, count: u32): void {
  let known: u32 = 0;
  for (let index: u32 = 0; index < count; index++) {
    const point = load<u32>(points + (index << 2));
    const min = load<f64>(MIN_MICROS + (point << 3));
    store<f64>(VALUES + (index << 3), isKnown(point) ? 0 : min > 0 ? 1 : 2);
    store<u32>(PICKED_BYTES + (known << 2), point);
    known += isKnown(point) ? 1 : 0;
  }
  if (known == count) return writeKnown(points, count);
  areSomeAbsent = true;
  byte(SOME_ABSENT);
  writePacked(VALUES, count);
  writeKnown(PICKED_BYTES, known);
}

function writeKnown(points: u32, count: u32): void {
  if (count == 0) return;
  for (let index: u32 = 0; index < count; index++) {
    const point = load<u32>(points + (index << 2)) << 3;
    store<f64>(PICKED + (index << 3), load<f64>(MIN_MICROS + point));
    store<f64>(PICKED_ELAPSED + (index << 3), load<f64>(MAX_MICROS + point));
  }
  const common = commonFactor(PICKED_ELAPSED, count, commonFactor(PICKED, count, 0));
  const factor: f64 = common == 0 ? 1 : common;
  for (let place: u32 = 0; place < count << 3; place += 8) {
    store<f64>(PICKED + place, load<f64>(PICKED + place) / factor);
    store<f64>(PICKED_ELAPSED + place, load<f64>(PICKED_ELAPSED + place) / factor);
  }
  const start = at;
  byte(IN_BUCKETS);
  varint(<i64>factor);
  if (writeSteps(points, count, factor)) return;
  forgetBits();
  writeTo(start);
  byte(AS_COLUMNS);
  varint(<i64>factor);
  writePacked(PICKED, count);
  writePacked(PICKED_ELAPSED, count);
}

/**
 * Writes the distance of each extreme from the first multiple of `factor` in its bucket. Returns false, with partial
 * output, if an extreme is not in the outermost bucket of its point.
 */
function writeSteps(points: u32, count: u32, factor: f64): bool {
  if (factor != factorOfPlaces) {
    memory.fill(PLACE_BITS, <u8>NOT_COMPUTED, BUCKETS);
    factorOfPlaces = factor;
  }
  for (let index: u32 = 0; index < count; index++) {
    const point = load<u32>(points + (index << 2)) << 2;
    const from = load<u32>(BUCKETS_FROM + point);
    const until = load<u32>(BUCKETS_FROM + point, 4);
    const lowest: u32 = until > from ? load<u16>(BUCKET + (from << 1)) : 0;
    const highest: u32 = until > from ? load<u16>(BUCKET + ((until - 1) << 1)) : 0;
    if (!writeStep(load<f64>(PICKED + (index << 3)), lowest, factor)) return false;
    if (!writeStep(load<f64>(PICKED_ELAPSED + (index << 3)), highest, factor)) return false;
  }
  endBits();
  return true;
}

function writeStep(units: f64, bucket: u32, factor: f64): bool {
  if (<u32>load<u8>(PLACE_BITS + bucket) == NOT_COMPUTED) computePlace(bucket, factor);
  const step = units - load<f64>(PLACE_FIRST + (bucket << 3));
  const width = <u32>load<u8>(PLACE_BITS + bucket);
  if (step < 0 || bitLength(<i64>step) > width) return false;
  writeBits(<i64>step, width);
  return true;
}

/** Uses doubles, so that results are rounded as in TypeScript. */
function computePlace(bucket: u32, factor: f64): void {
  const lowest = bucketFloor(bucket);
  const width = bucketWidth(bucket);
  const first = ceil(lowest / factor);
  const last = floor((lowest + width - 1) / factor);
  store<f64>(PLACE_FIRST + (bucket << 3), first);
  store<u8>(PLACE_BITS + bucket, <u8>bitLength(<i64>max(0, last - first)));
}
