export interface RowGroups {
  readonly length: number;
  /** Calls `each` with every row, one group after the other. */
  forEachRow(each: (group: number, row: number) => void): void;
  first(column: Uint32Array): Uint32Array;
  reduce(column: Float64Array, combine: (left: number, right: number) => number): Float64Array;
}

/** Fewer rows are sorted by comparison. */
const COUNTED_ROWS_MIN = 256;
const DIGIT_BITS = 11;
const DIGITS = 2 ** DIGIT_BITS;

/** Groups ascend by the first key, then the second ... */
export function groupRows(keys: readonly Uint32Array[]): RowGroups {
  const rows = keys[0]?.length ?? 0;
  const order = orderOf(keys, rows);
  const from = groupStarts(keys, order);
  return {
    length: from.length,
    forEachRow(each) {
      for (let group = 0; group < from.length; group++) {
        const end = from[group + 1] ?? rows;
        for (let rank = from[group] as number; rank < end; rank++)
          each(group, order[rank] as number);
      }
    },
    first(column) {
      const picked = new Uint32Array(from.length);
      for (let group = 0; group < from.length; group++) {
        picked[group] = column[order[from[group] as number] as number] as number;
      }
      return picked;
    },
    reduce(column, combine) {
      const reduced = new Float64Array(from.length);
      for (let group = 0; group < from.length; group++) {
        const start = from[group] as number;
        const end = from[group + 1] ?? rows;
        let value = column[order[start] as number] as number;
        for (let rank = start + 1; rank < end; rank++) {
          value = combine(value, column[order[rank] as number] as number);
        }
        reduced[group] = value;
      }
      return reduced;
    },
  };
}

function orderOf(keys: readonly Uint32Array[], rows: number): Uint32Array {
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
  const starts = new Uint32Array(order.length);
  let groups = 0;
  for (let rank = 0; rank < order.length; rank++) {
    const isSame =
      rank > 0 && compareRows(keys, order[rank] as number, order[rank - 1] as number) === 0;
    if (!isSame) starts[groups++] = rank;
  }
  return starts.subarray(0, groups);
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
