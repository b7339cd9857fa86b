import { addWhole, isMinute } from "../whole";
import { BATCH_ROWS, MEASURED } from "./layout";
import { OPENS, PLACES, PLACE_MINUTES, SUM_BYTES, SUM_CELLS, SUMS, WHOLE } from "./layout";

/** Seconds from here on are not of the load test. */
const NOT_WHOLE: u32 = 128;

/** Sums up a measure of rows `[from, to)`, zeros `times` times, up to a row whose minute is not open. Returns that row, or `to`. */
export function sumUp(measure: u32, from: u32, to: u32, times: f64): u32 {
  const sums = SUMS + measure * SUM_BYTES;
  const values = MEASURED + measure * (BATCH_ROWS * 4);
  const whole = sums + WHOLE;
  for (let row = from; row < to; row++) {
    const value = load<i32>(values + (row << 2));
    if (value < 0) continue;
    const place = load<u32>(PLACES + (row << 2));
    const minute = load<u32>(PLACE_MINUTES + (row << 2));
    const open = load<u32>(OPENS + (row << 2));
    if (load<u32>(sums + (place << 2)) != minute) return row;
    const isWhole = open < NOT_WHOLE;
    if (isWhole && !isMinute(whole, place & 1, minute)) return row;
    const added = <f64>value;
    const cell = sums + SUM_CELLS + (place << 5);
    store<f64>(cell, load<f64>(cell) + times);
    store<f64>(cell, load<f64>(cell, 8) + added, 8);
    if (added < load<f64>(cell, 16)) store<f64>(cell, added, 16);
    if (added > load<f64>(cell, 24)) store<f64>(cell, added, 24);
    if (isWhole) addWhole(whole, open, times, added, added);
  }
  return to;
}
