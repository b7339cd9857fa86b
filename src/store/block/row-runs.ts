/** Runs of consecutive rows with the same key, for failures and users. */

/**
 * Returns the start indexes of runs: rows that differ from the previous one in one of the `keys`.
 */
export function runStarts(rows: number, keys: readonly Uint32Array[]): Uint32Array {
  const starts: number[] = [];
  for (let row = 0; row < rows; row++) {
    if (row === 0 || keys.some((key) => key[row] !== key[row - 1])) starts.push(row);
  }
  return Uint32Array.from(starts);
}

export function runLengths(starts: Uint32Array, rows: number): Float64Array {
  return Float64Array.from(starts, (start, run) => (starts[run + 1] ?? rows) - start);
}

/** Returns the first row of each run, and the total length. */
export function startsOf(lengths: Float64Array): { starts: Uint32Array; rows: number } {
  const starts = new Uint32Array(lengths.length);
  let rows = 0;
  for (const [run, length] of lengths.entries()) {
    starts[run] = rows;
    rows += length;
  }
  return { starts, rows };
}

/** Returns a column with the value of its run in every row. */
export function spreadRuns(values: Float64Array, starts: Uint32Array, rows: number): Uint32Array {
  const column = new Uint32Array(rows);
  for (const [run, value] of values.entries()) {
    column.fill(value, starts[run], starts[run + 1] ?? rows);
  }
  return column;
}
