/** Merges series by adding each part into the result: nothing is concatenated or sorted. */

import { mergeOf, newOptionalColumn, OPTIONAL_NAMES, SUM_NAMES } from "../columns.ts";
import type { DistributionColumns, SeriesColumns, SumColumns } from "../data-points.ts";
import { addExactly } from "../exact.ts";
import { firstOf } from "../row-groups.ts";

/** Seconds from the first to the last, relative to rows, up to which a table of them is cheap. */
const SPAN_PER_ROW_MAX = 16;

interface Places {
  /** Strictly ascending. */
  readonly second: Uint32Array;
  /** Of each row of each part: the index of its second. */
  readonly ofPart: readonly Uint32Array[];
}

/** Sums by second; `undefined` if the seconds are too far apart. Throws `sum-too-large`. */
export function addSums(parts: readonly SumColumns[]): SumColumns | undefined {
  const places = placesOf(parts);
  return places && sumsAt(parts, places);
}

/** The same with distributions. */
export function addSeries(parts: readonly SeriesColumns[]): SeriesColumns | undefined {
  const places = placesOf(parts);
  return places && { ...sumsAt(parts, places), ...distributionsAt(parts, places) };
}

function placesOf(parts: readonly SumColumns[]): Places | undefined {
  let [rows, least, most] = [0, Infinity, 0];
  for (const { second } of parts) {
    rows += second.length;
    for (let row = 0; row < second.length; row++) {
      const value = second[row] as number;
      if (value < least) least = value;
      if (value > most) most = value;
    }
  }
  const span = rows === 0 ? 0 : most - least + 1;
  if (span > rows * SPAN_PER_ROW_MAX) return undefined;
  const table = new Uint32Array(span);
  for (const { second } of parts) {
    for (let row = 0; row < second.length; row++) table[(second[row] as number) - least] = 1;
  }
  const found = new Uint32Array(Math.min(span, rows));
  let used = 0;
  for (let at = 0; at < span; at++) {
    if (table[at] === 0) continue;
    table[at] = used;
    found[used++] = least + at;
  }
  const ofPart = parts.map(({ second }) => {
    const own = new Uint32Array(second.length);
    for (let row = 0; row < own.length; row++) {
      own[row] = table[(second[row] as number) - least] as number;
    }
    return own;
  });
  return { second: used === found.length ? found : found.slice(0, used), ofPart };
}

function sumsAt(parts: readonly SumColumns[], { second, ofPart }: Places): SumColumns {
  const merged: Record<string, Uint16Array | Uint32Array | Float64Array> = { second };
  for (const name of SUM_NAMES) {
    const sums = new Float64Array(second.length);
    for (const [part, columns] of parts.entries()) {
      addColumn(columns[name], ofPart[part] as Uint32Array, sums);
    }
    merged[name] = sums;
  }
  for (const name of OPTIONAL_NAMES) {
    if (parts.every((part) => part[name] === undefined)) continue;
    const [values, merge] = [newOptionalColumn(name, second.length), mergeOf(name)];
    for (const [part, { [name]: column }] of parts.entries()) {
      if (column === undefined) continue;
      for (let row = 0; row < column.length; row++) {
        const place = ofPart[part]?.[row] as number;
        values[place] = merge(values[place] as number, column[row] as number);
      }
    }
    merged[name] = values;
  }
  return merged as unknown as SumColumns;
}

function addColumn(column: Float64Array, places: Uint32Array, sums: Float64Array): void {
  for (let row = 0; row < column.length; row++) {
    const place = places[row] as number;
    sums[place] = addExactly(sums[place] as number, column[row] as number);
  }
}

function distributionsAt(
  parts: readonly DistributionColumns[],
  { second, ofPart }: Places,
): DistributionColumns {
  const minMicros = new Float64Array(second.length).fill(Infinity);
  const maxMicros = new Float64Array(second.length).fill(-Infinity);
  // Where the entries of a point begin if no bucket is in two parts.
  const starts = new Uint32Array(second.length + 1);
  for (const [part, { bucketsFrom, ...own }] of parts.entries()) {
    const places = ofPart[part] as Uint32Array;
    for (let row = 0; row < places.length; row++) {
      const place = places[row] as number;
      const [min, max] = [own.minMicros[row] as number, own.maxMicros[row] as number];
      if (min < (minMicros[place] as number)) minMicros[place] = min;
      if (max > (maxMicros[place] as number)) maxMicros[place] = max;
      const entries = (bucketsFrom[row + 1] as number) - (bucketsFrom[row] as number);
      starts[place + 1] = (starts[place + 1] as number) + entries;
    }
  }
  for (let place = 0; place < second.length; place++) {
    starts[place + 1] = (starts[place + 1] as number) + (starts[place] as number);
  }
  const room = starts[second.length] as number;
  const [bucket, bucketCount] = [new Uint16Array(room), new Float64Array(room)];
  const ends = starts.slice(0, -1);
  for (const [part, own] of parts.entries()) {
    const places = ofPart[part] as Uint32Array;
    for (let row = 0; row < places.length; row++) {
      const place = places[row] as number;
      const [from, until] = [own.bucketsFrom[row] as number, own.bucketsFrom[row + 1] as number];
      ends[place] = addEntries(
        { bucket: own.bucket, bucketCount: own.bucketCount, from, until },
        { bucket, bucketCount, from: starts[place] as number, until: ends[place] as number },
      );
    }
  }
  return { minMicros, maxMicros, ...closeGaps({ bucket, bucketCount }, starts, ends) };
}

type Entries = Pick<DistributionColumns, "bucket" | "bucketCount">;

/** Entries `[from, until)`. */
interface EntryRange extends Entries {
  readonly from: number;
  readonly until: number;
}

/** Merges entries into others, which have room behind. Returns where they end now. */
function addEntries(added: EntryRange, into: EntryRange): number {
  const { bucket, bucketCount, from } = added;
  const end = into.until + added.until - from - sharedBuckets(added, into);
  let [own, known] = [added.until - 1, into.until - 1];
  // From the last: what is overwritten has been moved.
  for (let at = end - 1; own >= from; at--) {
    const next = bucket[own] as number;
    const other = known < into.from ? -1 : (into.bucket[known] as number);
    if (other > next) {
      into.bucketCount[at] = into.bucketCount[known--] as number;
      into.bucket[at] = other;
      continue;
    }
    const count = bucketCount[own--] as number;
    into.bucketCount[at] =
      other === next ? addExactly(into.bucketCount[known--] as number, count) : count;
    into.bucket[at] = next;
  }
  return end;
}

function sharedBuckets(left: EntryRange, right: EntryRange): number {
  let [at, other, shared] = [left.from, right.from, 0];
  while (at < left.until && other < right.until) {
    const difference = (left.bucket[at] as number) - (right.bucket[other] as number);
    if (difference <= 0) at++;
    if (difference >= 0) other++;
    if (difference === 0) shared++;
  }
  return shared;
}

/** Moves the entries of all points together. */
function closeGaps(
  { bucket, bucketCount }: Entries,
  starts: Uint32Array,
  ends: Uint32Array,
): Pick<DistributionColumns, "bucketsFrom" | "bucket" | "bucketCount"> {
  const bucketsFrom = new Uint32Array(starts.length);
  let used = 0;
  for (let place = 0; place < ends.length; place++) {
    const end = ends[place] as number;
    for (let entry = starts[place] as number; entry < end; entry++, used++) {
      bucket[used] = bucket[entry] as number;
      bucketCount[used] = bucketCount[entry] as number;
    }
    bucketsFrom[place + 1] = used;
  }
  return { bucketsFrom, bucket: firstOf(bucket, used), bucketCount: firstOf(bucketCount, used) };
}
