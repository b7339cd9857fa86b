import { BucketCounts } from "./buckets/bucket-counts.ts";
import { addExactly } from "./exact.ts";

/** Rows with equal keys, in groups that ascend by the first key, then the second ... */
export class RowGroups {
  readonly length: number;
  /** Group g has the rows `order[from[g]]` to before `order[from[g + 1]]`, in the order they had. */
  readonly order: Uint32Array;
  readonly from: Uint32Array;

  constructor(order: Uint32Array, from: Uint32Array) {
    this.length = from.length - 1;
    this.order = order;
    this.from = from;
  }

  /** Calls `each` with every row, one group after the other. */
  forEachRow(each: (group: number, row: number) => void): void {
    const { order, from } = this;
    for (let group = 0; group < this.length; group++) {
      const end = from[group + 1] as number;
      for (let rank = from[group] as number; rank < end; rank++) each(group, order[rank] as number);
    }
  }

  /** Value of the first row of each group. */
  first(column: Uint32Array): Uint32Array {
    const { order, from } = this;
    const picked = new Uint32Array(this.length);
    for (let group = 0; group < picked.length; group++) {
      picked[group] = column[order[from[group] as number] as number] as number;
    }
    return picked;
  }

  /** Of non-negative integers; in a fraction of the time of `reduce`. Throws `sum-too-large`. */
  sum(column: Float64Array): Float64Array {
    const { order, from } = this;
    const sums = new Float64Array(this.length);
    for (let group = 0; group < sums.length; group++) {
      const end = from[group + 1] as number;
      let sum = 0;
      for (let rank = from[group] as number; rank < end; rank++) {
        sum = addExactly(sum, column[order[rank] as number] as number);
      }
      sums[group] = sum;
    }
    return sums;
  }

  reduce(column: Float64Array, combine: (left: number, right: number) => number): Float64Array {
    const { order, from } = this;
    const reduced = new Float64Array(this.length);
    for (let group = 0; group < reduced.length; group++) {
      const start = from[group] as number;
      const end = from[group + 1] as number;
      let value = column[order[start] as number] as number;
      for (let rank = start + 1; rank < end; rank++) {
        value = combine(value, column[order[rank] as number] as number);
      }
      reduced[group] = value;
    }
    return reduced;
  }
}

/** Fewer rows are sorted by comparison. */
const COUNTED_ROWS_MIN = 256;
const DIGIT_BITS = 11;
const DIGITS = 2 ** DIGIT_BITS;

export function groupRows(keys: readonly Uint32Array[]): RowGroups {
  const order = orderOf(keys, keys[0]?.length ?? 0);
  return new RowGroups(order, groupStarts(keys, order));
}

/** Whether rows ascend and are unique, so that each is a group. */
export function areGrouped(keys: readonly Uint32Array[]): boolean {
  const rows = keys[0]?.length ?? 0;
  for (let row = 1; row < rows; row++) if (compareRows(keys, row - 1, row) >= 0) return false;
  return true;
}

/** The rows ascending by the first key, then the second ...; equal ones in the order they had. */
export function orderOf(keys: readonly Uint32Array[], rows: number): Uint32Array {
  let order: Uint32Array = new Uint32Array(rows);
  for (let row = 0; row < rows; row++) order[row] = row;
  if (ascends(keys, rows)) return order;
  if (rows < COUNTED_ROWS_MIN)
    return order.toSorted((left, right) => compareRows(keys, left, right));
  // Radix sort: the last key first.
  for (const key of keys.toReversed()) order = sortByKey(order, key);
  return order;
}

/** Stable; digit by digit from the lowest. */
function sortByKey(order: Uint32Array, key: Uint32Array): Uint32Array {
  let [least, most] = [0xffffffff, 0];
  for (let row = 0; row < key.length; row++) {
    const value = key[row] as number;
    if (value < least) least = value;
    if (value > most) most = value;
  }
  let sorted = order;
  for (let shift = 0; shift < 32 && (most - least) >>> shift > 0; shift += DIGIT_BITS) {
    sorted = sortByDigit(sorted, key, { least, shift });
  }
  return sorted;
}

function sortByDigit(
  order: Uint32Array,
  key: Uint32Array,
  { least, shift }: { readonly least: number; readonly shift: number },
): Uint32Array {
  const next = new Uint32Array(DIGITS + 1);
  for (let row = 0; row < key.length; row++) {
    const above = ((((key[row] as number) - least) >>> shift) & (DIGITS - 1)) + 1;
    next[above] = (next[above] as number) + 1;
  }
  for (let digit = 1; digit < DIGITS; digit++) {
    next[digit] = (next[digit] as number) + (next[digit - 1] as number);
  }
  const sorted = new Uint32Array(order.length);
  for (let rank = 0; rank < order.length; rank++) {
    const row = order[rank] as number;
    const digit = (((key[row] as number) - least) >>> shift) & (DIGITS - 1);
    const place = next[digit] as number;
    sorted[place] = row;
    next[digit] = place + 1;
  }
  return sorted;
}

function groupStarts(keys: readonly Uint32Array[], order: Uint32Array): Uint32Array {
  const starts = new Uint32Array(order.length + 1);
  let groups = 0;
  for (let rank = 0; rank < order.length; rank++) {
    const isSame =
      rank > 0 && compareRows(keys, order[rank] as number, order[rank - 1] as number) === 0;
    if (!isSame) starts[groups++] = rank;
  }
  starts[groups] = order.length;
  return starts.subarray(0, groups + 1);
}

function ascends(keys: readonly Uint32Array[], rows: number): boolean {
  for (let row = 1; row < rows; row++) if (compareRows(keys, row - 1, row) > 0) return false;
  return true;
}

function compareRows(keys: readonly Uint32Array[], left: number, right: number): number {
  for (let key = 0; key < keys.length; key++) {
    const column = keys[key] as Uint32Array;
    const difference = (column[left] as number) - (column[right] as number);
    if (difference !== 0) return difference;
  }
  return 0;
}

export function concatenate<Part, Column extends Uint16Array | Uint32Array | Float64Array>(
  Kind: new (length: number) => Column,
  parts: readonly Part[],
  columnOf: (part: Part, index: number) => Column,
): Column {
  const columns = parts.map(columnOf);
  const joined = new Kind(columns.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const column of columns) {
    joined.set(column, at);
    at += column.length;
  }
  return joined;
}

/** Histograms: row i has the entries `[bucketsFrom[i], bucketsFrom[i + 1])`, ascending by bucket. */
interface Histograms {
  readonly bucketsFrom: Uint32Array;
  readonly bucket: Uint16Array;
  readonly bucketCount: Float64Array;
}

/** Merge buffer, empty before and after. Shared, as many merges are tiny. */
const COUNTS = new BucketCounts();

/** Merges the histograms of each group by bucket. Throws `sum-too-large`. */
export function mergeBuckets(all: Histograms, { order, from, length }: RowGroups): Histograms {
  const bucketsFrom = new Uint32Array(length + 1);
  const merged = {
    bucketsFrom,
    bucket: new Uint16Array(all.bucket.length),
    bucketCount: new Float64Array(all.bucket.length),
  };
  for (let group = 0; group < length; group++) {
    const used = bucketsFrom[group] as number;
    const [first, end] = [from[group] as number, from[group + 1] as number];
    // Most rows merge with no other: copying takes a tenth of the time.
    bucketsFrom[group + 1] =
      end - first === 1
        ? copyRow(all, order[first] as number, merged, used)
        : mergeRows(all, order.subarray(first, end), merged, used);
  }
  const used = bucketsFrom[length] as number;
  return {
    bucketsFrom,
    bucket: firstOf(merged.bucket, used),
    bucketCount: firstOf(merged.bucketCount, used),
  };
}

/** The first values of a column: a view, unless it would keep much more memory alive. */
export function firstOf<Column extends Uint16Array | Float64Array>(
  column: Column,
  length: number,
): Column {
  return (
    length * 2 < column.length ? column.slice(0, length) : column.subarray(0, length)
  ) as Column;
}

/** Appends to `merged`, at `used`. Returns the end. */
function copyRow(all: Histograms, row: number, merged: Histograms, used: number): number {
  const { bucketsFrom, bucket, bucketCount } = all;
  const until = bucketsFrom[row + 1] as number;
  let at = used;
  for (let entry = bucketsFrom[row] as number; entry < until; entry++, at++) {
    merged.bucket[at] = bucket[entry] as number;
    merged.bucketCount[at] = bucketCount[entry] as number;
  }
  return at;
}

function mergeRows(all: Histograms, rows: Uint32Array, merged: Histograms, used: number): number {
  const { bucketsFrom } = all;
  try {
    for (let each = 0; each < rows.length; each++) {
      const row = rows[each] as number;
      COUNTS.add(all, bucketsFrom[row] as number, bucketsFrom[row + 1] as number);
    }
    return COUNTS.moveTo(merged, used);
  } finally {
    COUNTS.clear();
  }
}

/** Rows of the parts one after the other. */
export function concatenateBuckets(parts: readonly Histograms[]): Histograms {
  const rows = parts.reduce((sum, part) => sum + part.bucketsFrom.length - 1, 0);
  const bucketsFrom = new Uint32Array(rows + 1);
  let [row, shift] = [0, 0];
  for (const part of parts) {
    for (let own = 1; own < part.bucketsFrom.length; own++) {
      bucketsFrom[++row] = shift + (part.bucketsFrom[own] as number);
    }
    shift += part.bucket.length;
  }
  return {
    bucketsFrom,
    bucket: concatenate(Uint16Array, parts, (part) => part.bucket),
    bucketCount: concatenate(Float64Array, parts, (part) => part.bucketCount),
  };
}

/** Numbers entries in the order they come, from 0. */
export class GrowingTable<Entry> {
  readonly entries: Entry[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #keyOf: (entry: Entry) => string;

  /** `keyOf`: equal for equal entries only. */
  constructor(keyOf: (entry: Entry) => string) {
    this.#keyOf = keyOf;
  }

  numberOf(entry: Entry): number {
    const key = this.#keyOf(entry);
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    this.#numbers.set(key, this.entries.length);
    return this.entries.push(entry) - 1;
  }
}

/** A bit set of endpoint numbers. */
export class NumberSet {
  readonly #bits: Uint8Array;

  constructor(ascending: Uint32Array) {
    this.#bits = new Uint8Array(((ascending.at(-1) ?? 0) >> 3) + 1);
    for (const number of ascending) {
      this.#bits[number >> 3] = (this.#bits[number >> 3] as number) | (1 << (number & 7));
    }
  }

  has(number: number): boolean {
    return ((this.#bits[number >> 3] ?? 0) & (1 << (number & 7))) !== 0;
  }
}

/** A tenth of the time of `filter` for a million numbers. */
export function numbersWhere(
  numbers: Uint32Array,
  isWanted: (number: number) => boolean,
): Uint32Array {
  const wanted = new Uint32Array(numbers.length);
  let count = 0;
  for (const number of numbers) if (isWanted(number)) wanted[count++] = number;
  return count === numbers.length ? wanted : wanted.slice(0, count);
}
