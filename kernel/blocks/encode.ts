import { bucketOf } from "../../src/model/buckets/bucket-layout";
import {
  BUCKET,
  BUCKET_COUNT,
  BUCKETS,
  BUCKETS_FROM,
  DISTRIBUTION,
  ELAPSED_MICROS,
  EXTREMES_BYTES,
  KEPT,
  MAX_MICROS,
  MIN_MICROS,
  OPTIONAL,
  OPTIONAL_COLUMNS,
  POINTS_MAX,
  REQUESTS,
  RUN_ENTRIES,
  RUN_ENDPOINT,
  RUN_POINTS,
  SECOND,
  SECTION_KEPT,
  SECTION_POINT,
  SECTION_RUN,
  STREAM_BYTES,
} from "./layout";
import { encodeExtremes, isKnown } from "./extremes";
import { areRanks, encodeHistograms } from "./histograms";
import { writePacked } from "./packed";
import { encodePlain } from "./plain";
import { at, byte, writeTo } from "./writer";

/** Bytes at `DISTRIBUTION`: the distribution segment between the checksum and the low bits. */
export let distributionBytes: u32 = 0;

/** A section ends after the run with which it reaches this many points. */
const SECTION_POINTS: u32 = 128;
const SINGLES_FOLLOW: u32 = 2;
const ARE_RANKS: u32 = 4;
const UNORDERED: u32 = u32.MAX_VALUE;
const EXACT_MAX: f64 = 9007199254740991;

/** Indexes into `FAULTS`. */
const OUT_OF_ORDER: u32 = 1;
const INEXACT: u32 = 2;
const FAILED_WITHOUT_REQUESTS: u32 = 3;
const INVALID_BUCKETS: u32 = 4;

/**
 * Encodes the points of `runs` runs. `optional` has bit n if there is optional column n. Returns 0, or the index of
 * what is wrong with the points.
 */
export function encode(runs: u32, optional: u32): u32 {
  const points = placePoints(runs);
  if (points == UNORDERED) return OUT_OF_ORDER;
  if (!areExact(points, optional)) return INEXACT;
  const sections = placeSections(runs);
  const follow = keepPoints(points, sections);
  if (!encodePlain(runs, sections, optional)) return FAILED_WITHOUT_REQUESTS;
  encodeExtremes(sections);
  const form = encodeHistograms(sections);
  if (form < 0) return INVALID_BUCKETS;
  writeTo(DISTRIBUTION);
  byte(<u32>form | (follow ? SINGLES_FOLLOW : 0) | (areRanks ? ARE_RANKS : 0));
  writePacked(EXTREMES_BYTES, sections);
  for (let stream: u32 = 0; stream < 3; stream++) {
    writePacked(STREAM_BYTES + ((stream * POINTS_MAX) << 3), sections);
  }
  distributionBytes = at - DISTRIBUTION;
  return 0;
}

/** Makes `BUCKETS_FROM` index the columns here. Returns the number of points, or `UNORDERED`. */
function placePoints(runs: u32): u32 {
  let point: u32 = 0;
  let used: u32 = 0;
  for (let run: u32 = 0; run < runs; run++) {
    const place = run << 2;
    if (run > 0 && load<u32>(RUN_ENDPOINT + place) <= load<u32>(RUN_ENDPOINT + place - 4)) {
      return UNORDERED;
    }
    const shift = used - load<u32>(BUCKETS_FROM + (point << 2));
    const first = point << 2;
    const end = first + (load<u32>(RUN_POINTS + place) << 2);
    for (let at = first; at < end; at += 4) {
      if (at > first && load<u32>(SECOND + at) <= load<u32>(SECOND + at - 4)) return UNORDERED;
      store<u32>(BUCKETS_FROM + at, load<u32>(BUCKETS_FROM + at) + shift);
    }
    point = end >> 2;
    used += load<u32>(RUN_ENTRIES + place);
  }
  store<u32>(BUCKETS_FROM + (point << 2), used);
  return point;
}

/** Reports whether all numbers of the points but unknown extremes are integers from 0 to 2^53 - 1. */
function areExact(points: u32, optional: u32): bool {
  for (let column = REQUESTS; column < MIN_MICROS; column += POINTS_MAX * 8) {
    if (!isExactColumn(column, points)) return false;
  }
  for (let index: u32 = 0; index < OPTIONAL_COLUMNS; index++) {
    const column = OPTIONAL + ((index * POINTS_MAX) << 3);
    if (((optional >> index) & 1) == 1 && !isExactColumn(column, points)) return false;
  }
  if (isExactColumn(MIN_MICROS, points) && isExactColumn(MAX_MICROS, points)) return true;
  for (let point: u32 = 0; point < points; point++) {
    if (!isKnown(point)) continue;
    const micros = v128.load64_splat(MIN_MICROS + (point << 3));
    const both = v128.load64_lane(MAX_MICROS + (point << 3), micros, 1);
    if (!v128.all_true<i64>(exactLanes(both))) return false;
  }
  return true;
}

function isExactColumn(column: u32, points: u32): bool {
  let are = v128.not(v128.splat<i64>(0));
  const end = (points << 3) & ~15;
  for (let place: u32 = 0; place < end; place += 16) {
    are = v128.and(are, exactLanes(v128.load(column + place)));
  }
  // The last of an odd number is loaded alone: the next value is from an earlier block.
  if ((points & 1) == 1) are = v128.and(are, exactLanes(v128.load64_splat(column + end)));
  return v128.all_true<i64>(are);
}

function exactLanes(values: v128): v128 {
  const isWhole = f64x2.eq(f64x2.trunc(values), values);
  const isWithin = v128.and(
    f64x2.ge(values, f64x2.splat(0)),
    f64x2.le(values, f64x2.splat(EXACT_MAX)),
  );
  return v128.and(isWhole, isWithin);
}

/** Splits the runs into sections. Returns their number. */
function placeSections(runs: u32): u32 {
  let sections: u32 = 0;
  let points: u32 = 0;
  let first: u32 = 0;
  store<u32>(SECTION_RUN, 0);
  store<u32>(SECTION_POINT, 0);
  for (let run: u32 = 1; run <= runs; run++) {
    points += load<u32>(RUN_POINTS + ((run - 1) << 2));
    if (points - first < SECTION_POINTS && run < runs) continue;
    sections += 1;
    store<u32>(SECTION_RUN + (sections << 2), run);
    store<u32>(SECTION_POINT + (sections << 2), points);
    first = points;
  }
  return sections;
}

/** Writes `KEPT`. Reports whether points of one request are left out: the distributions of all follow from their sums. */
function keepPoints(points: u32, sections: u32): bool {
  let follow = true;
  for (let point: u32 = 0; point < points && follow; point++) {
    follow = load<f64>(REQUESTS + (point << 3)) != 1 || follows(point);
  }
  let kept: u32 = 0;
  store<u32>(SECTION_KEPT, 0);
  for (let section: u32 = 0; section < sections; section++) {
    const end = load<u32>(SECTION_POINT + (section << 2), 4);
    for (let point = load<u32>(SECTION_POINT + (section << 2)); point < end; point++) {
      store<u32>(KEPT + (kept << 2), point);
      kept += !follow || load<f64>(REQUESTS + (point << 3)) != 1 ? 1 : 0;
    }
    store<u32>(SECTION_KEPT + (section << 2), kept, 4);
  }
  return follow;
}

function follows(point: u32): bool {
  const elapsed = load<f64>(ELAPSED_MICROS + (point << 3));
  const entry = load<u32>(BUCKETS_FROM + (point << 2));
  return (
    load<f64>(MIN_MICROS + (point << 3)) == elapsed &&
    load<f64>(MAX_MICROS + (point << 3)) == elapsed &&
    load<u32>(BUCKETS_FROM + (point << 2), 4) == entry + 1 &&
    <u32>load<u16>(BUCKET + (entry << 1)) == <u32>bucketOf(elapsed) &&
    load<f64>(BUCKET_COUNT + (entry << 3)) == 1
  );
}
