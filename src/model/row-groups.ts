/** Rows of columns, brought together where their keys are equal: the middle of every merge. */

export interface RowGroups {
  /** The entry of each group's first row. */
  first(column: Uint32Array): Uint32Array;
  /** All entries of each group, combined. */
  reduce(column: Float64Array, combine: (left: number, right: number) => number): Float64Array;
}

/** Groups rows by their entries in `keys`; the groups ascend by the first key, then the second ... */
export function groupRows(keys: readonly Uint32Array[]): RowGroups {
  const rows = keys[0]?.length ?? 0;
  const order = new Uint32Array(rows);
  for (let row = 0; row < rows; row++) order[row] = row;
  if (!ascends(keys, rows)) order.sort((left, right) => compareRows(keys, left, right));
  const from: number[] = [];
  for (let rank = 0; rank < rows; rank++) {
    const [row, last] = [order[rank] as number, order[rank - 1] as number];
    if (rank === 0 || compareRows(keys, row, last) !== 0) from.push(rank);
  }
  return {
    first: (column) => Uint32Array.from(from, (rank) => column[order[rank] as number] as number),
    reduce(column, combine) {
      const reduced = new Float64Array(from.length);
      for (const [group, start] of from.entries()) {
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

function ascends(keys: readonly Uint32Array[], rows: number): boolean {
  for (let row = 1; row < rows; row++) if (compareRows(keys, row - 1, row) > 0) return false;
  return true;
}

function compareRows(keys: readonly Uint32Array[], left: number, right: number): number {
  for (const key of keys) {
    const difference = (key[left] as number) - (key[right] as number);
    if (difference !== 0) return difference;
  }
  return 0;
}
