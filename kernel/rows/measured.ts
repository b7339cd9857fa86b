import { columnOf, FIRST_MEASURE } from "./columns";
import { BATCH_ROWS, MEASURED, MEASURES } from "./layout";
import { NOT_PLAIN, wholeAt } from "./numbers";

/** Stored for a row without a value. */
const NO_VALUE: u32 = 0xffffffff;

/** Reads the measures of a row into their columns. Returns false if one is neither a plain number nor empty. */
export function readMeasures(row: u32, ends: u32): bool {
  for (let each: u32 = 0; each < MEASURES; each++) {
    const column = columnOf(FIRST_MEASURE + each);
    if (column < 0) continue;
    const end = ends + (column << 2);
    const from = load<u32>(end - 4) + 1;
    const to = load<u32>(end);
    const value = from == to ? NO_VALUE : wholeAt(from, to);
    if (from != to && value == NOT_PLAIN) return false;
    store<u32>(MEASURED + each * (BATCH_ROWS * 4) + (row << 2), value);
  }
  return true;
}
