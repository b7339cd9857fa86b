import {
  BUCKET,
  BUCKET_COUNT,
  BUCKETS_FROM,
  CELLS,
  FAILED_BUCKET,
  FAILED_BUCKET_COUNT,
  FAILED_BUCKETS_FROM,
  FAILED_EXTREMES,
  FAILED_LOG,
  LOG,
  MIXED_EXTREMES,
  MIXED_POINT,
  NEXT,
  ORDER,
  OUT_CELLS,
  OUT_ENDPOINT,
  OUT_SECOND,
  POINT_LABEL,
  POINT_SECOND,
  POINTS_MAX,
  RUN_FAILED,
  RUN_FROM,
  RUN_REQUESTS,
} from "./layout";
import { placeLatencies, writeHistogram } from "./histograms";
import { failedLatencies, latencies, points } from "./record";
import { sortPoints } from "./sort";

/** Results of `seal`: points, used buckets, points with both outcomes, used buckets of their failed requests. */
export let sealed: u32 = 0;
export let entries: u32 = 0;
export let mixed: u32 = 0;
export let failedEntries: u32 = 0;
/** Number of runs of points of one label. */
export let runs: u32 = 0;
/** First and last second other than 0; both 0 if there is none. */
export let firstSecond: u32 = 0;
export let lastSecond: u32 = 0;
/** A second with a sum above 2^53 - 1, if `seal` returned false. */
export let overflowSecond: u32 = 0;

const EXACT_MAX: f64 = 9007199254740991;
/** Number of sums of a point. */
const SUMS: u32 = 6;
const MIN: u32 = OUT_CELLS + POINTS_MAX * 48;
const MAX: u32 = OUT_CELLS + POINTS_MAX * 56;

/**
 * Writes the columns of all points by label and second, with the parts of each point merged. Reports whether all sums are
 * at most 2^53 - 1.
 */
export function seal(): bool {
  sortPoints();
  const isExact = mergeParts();
  sealHistograms();
  sealOutcomes();
  return isExact;
}

function mergeParts(): bool {
  sealed = 0;
  runs = 0;
  firstSecond = lastSecond = 0;
  let isExact = true;
  for (let at: u32 = 0; at < points; at++) {
    const point = pointAt(at);
    if (at == 0 || !isSame(pointAt(at - 1), point)) begin(point);
    isExact = add(CELLS + (point << 6), FAILED_EXTREMES + (point << 4)) && isExact;
  }
  store<u32>(RUN_FROM + (runs << 2), sealed);
  return isExact;
}

function begin(point: u32): void {
  const label = load<u32>(POINT_LABEL + (point << 2));
  const second = load<u32>(POINT_SECOND + (point << 2));
  if (sealed == 0 || load<u32>(OUT_ENDPOINT + (sealed << 2) - 4) != label) beginRun();
  store<u32>(OUT_ENDPOINT + (sealed << 2), label);
  store<u32>(OUT_SECOND + (sealed << 2), second);
  const place = sealed << 3;
  for (let sum: u32 = 0; sum < SUMS; sum++) store<f64>(OUT_CELLS + sum * POINTS_MAX * 8 + place, 0);
  store<f64>(MIN + place, Infinity);
  store<f64>(MAX + place, -Infinity);
  sealed += 1;
  lastSecond = max(lastSecond, second);
  if (second != 0 && (second < firstSecond || firstSecond == 0)) firstSecond = second;
}

function beginRun(): void {
  store<u32>(RUN_FROM + (runs << 2), sealed);
  store<f64>(RUN_REQUESTS + (runs << 3), 0);
  store<f64>(RUN_FAILED + (runs << 3), 0);
  runs += 1;
}

/** Adds a part to the last point. Reports whether its sums are at most 2^53 - 1. */
function add(cell: u32, failedExtremes: u32): bool {
  const place = (sealed - 1) << 3;
  const run = (runs - 1) << 3;
  store<f64>(RUN_REQUESTS + run, load<f64>(RUN_REQUESTS + run) + load<f64>(cell));
  store<f64>(RUN_FAILED + run, load<f64>(RUN_FAILED + run) + load<f64>(cell, 8));
  let isExact = true;
  for (let sum: u32 = 0; sum < SUMS; sum++) {
    const column = OUT_CELLS + sum * POINTS_MAX * 8 + place;
    const total = load<f64>(column) + load<f64>(cell + (sum << 3));
    store<f64>(column, total);
    isExact = isExact && total <= EXACT_MAX;
  }
  if (!isExact) overflowSecond = load<u32>(OUT_SECOND + (place >> 1));
  include(place, cell + 48);
  if (load<f64>(cell, 8) != 0) include(place, failedExtremes);
  return isExact;
}

function include(place: u32, extremes: u32): void {
  store<f64>(MIN + place, min(load<f64>(MIN + place), load<f64>(extremes)));
  store<f64>(MAX + place, max(load<f64>(MAX + place), load<f64>(extremes, 8)));
}

/** Writes one histogram per point. */
function sealHistograms(): void {
  placeLatencies(LOG, latencies, 0, BUCKET);
  let used: u32 = 0;
  let ranks: u32 = 0;
  let from: u32 = 0;
  for (let at: u32 = 0; at < points; at++) {
    if (hasNext(at)) continue;
    const to = load<u32>(NEXT + (pointAt(at) << 2));
    store<u32>(BUCKETS_FROM + (ranks++ << 2), used);
    used = writeHistogram(BUCKET, BUCKET_COUNT, from, to, used);
    from = to;
  }
  store<u32>(BUCKETS_FROM + (ranks << 2), used);
  entries = used;
}

/** Writes, for points with both outcomes, histograms of failed requests and the extremes of both. */
function sealOutcomes(): void {
  mixed = 0;
  failedEntries = 0;
  store<u32>(FAILED_BUCKETS_FROM, 0);
  if (failedLatencies == 0) return;
  placeLatencies(FAILED_LOG, failedLatencies, 8, FAILED_BUCKET);
  let rank: u32 = 0;
  let from: u32 = 0;
  for (let at: u32 = 0, first: u32 = 0; at < points; at++) {
    if (hasNext(at)) continue;
    const to = load<u32>(NEXT + (pointAt(at) << 2));
    if (to > from && <f64>(to - from) < load<f64>(OUT_CELLS + (rank << 3))) {
      failedEntries = writeHistogram(FAILED_BUCKET, FAILED_BUCKET_COUNT, from, to, failedEntries);
      store<u32>(MIXED_POINT + (mixed << 2), rank);
      writeOutcomes(MIXED_EXTREMES + (mixed << 3), first, at);
      store<u32>(FAILED_BUCKETS_FROM + (mixed << 2), failedEntries, 4);
      mixed += 1;
    }
    from = to;
    first = at + 1;
    rank += 1;
  }
}

/** Writes minimum and maximum of passed, then of failed requests of the parts `first` to `last`, each to its column. */
function writeOutcomes(to: u32, first: u32, last: u32): void {
  const failed = to + 2 * POINTS_MAX * 8;
  clearPair(to);
  clearPair(failed);
  for (let at = first; at <= last; at++) {
    const point = pointAt(at);
    const cell = CELLS + (point << 6);
    widenBy(to, cell + 48);
    if (load<f64>(cell, 8) != 0) widenBy(failed, FAILED_EXTREMES + (point << 4));
  }
}

function clearPair(to: u32): void {
  store<f64>(to, Infinity);
  store<f64>(to + POINTS_MAX * 8, -Infinity);
}

function widenBy(to: u32, others: u32): void {
  const most = to + POINTS_MAX * 8;
  store<f64>(to, min(load<f64>(to), load<f64>(others)));
  store<f64>(most, max(load<f64>(most), load<f64>(others, 8)));
}

function pointAt(rank: u32): u32 {
  return load<u32>(ORDER + (rank << 2));
}

/** Reports whether the next part belongs to the same point. */
function hasNext(at: u32): bool {
  return at + 1 < points && isSame(pointAt(at), pointAt(at + 1));
}

function isSame(left: u32, right: u32): bool {
  return (
    load<u32>(POINT_LABEL + (left << 2)) == load<u32>(POINT_LABEL + (right << 2)) &&
    load<u32>(POINT_SECOND + (left << 2)) == load<u32>(POINT_SECOND + (right << 2))
  );
}
