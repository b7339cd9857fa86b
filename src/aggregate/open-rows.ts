import { grown } from "../model/columns.ts";
import type { GaugeColumns, MeasureSums } from "../model/measures/measure-table.ts";

/** Seconds of a series whose row is found at once, a power of two; others get a further row, which merging unites. */
const RECENT_SECONDS = 64;
/** Small, as each post of a live sender has its own rows, usually none. */
const FIRST_ROWS = 64;
const NO_ROW = 0xffffffff;

/** Growing rows by series and second, with the columns that any kind needs. */
export class OpenRows {
  length = 0;
  series = new Uint32Array(FIRST_ROWS);
  second = new Uint32Array(FIRST_ROWS);
  count = new Float64Array(FIRST_ROWS);
  sumMillions = new Float64Array(FIRST_ROWS);
  sumNanos = new Float64Array(FIRST_ROWS);
  min = new Float64Array(FIRST_ROWS);
  max = new Float64Array(FIRST_ROWS);
  last = new Float64Array(FIRST_ROWS);
  lastAtMillis = new Uint32Array(FIRST_ROWS);
  /** By series and second, modulo `RECENT_SECONDS`. */
  #recent = new Uint32Array(0);

  /** Returns the row of a second, and adds `count` to its count. */
  rowAt(series: number, second: number, count: number): number {
    const place = series * RECENT_SECONDS + (second & (RECENT_SECONDS - 1));
    const recent = this.#recent[place] ?? NO_ROW;
    const isSame = recent < this.length && this.second[recent] === second;
    const row = isSame ? recent : this.#newRow(series, second, place);
    this.count[row] = (this.count[row] as number) + count;
    return row;
  }

  addExtremes(row: number, min: number, max: number): void {
    if (min < (this.min[row] as number)) this.min[row] = min;
    if (max > (this.max[row] as number)) this.max[row] = max;
  }

  /** The latest value, and of several at the same time the greatest. */
  setLast(row: number, atMillis: number, value: number): void {
    const later = Math.floor(atMillis) - (this.lastAtMillis[row] as number);
    if (later < 0 || (later === 0 && value <= (this.last[row] as number))) return;
    this.lastAtMillis[row] = Math.floor(atMillis);
    this.last[row] = value;
  }

  /** Returns all rows, unsorted, and resets. */
  take(isGauge: (series: number) => boolean): { sums: MeasureSums; gauges: GaugeColumns } {
    const cut = <Column extends Uint32Array | Float64Array>(column: Column) =>
      column.slice(0, this.length) as Column;
    const series = cut(this.series);
    const ofGauges = <Column extends Uint32Array | Float64Array>(column: Column) =>
      cut(column).filter((_, row) => isGauge(series[row] as number)) as Column;
    const sums = {
      series,
      second: cut(this.second),
      count: cut(this.count),
      sumMillions: cut(this.sumMillions),
      sumNanos: cut(this.sumNanos),
    };
    const gauges = {
      series: ofGauges(this.series),
      second: ofGauges(this.second),
      min: ofGauges(this.min),
      max: ofGauges(this.max),
      last: ofGauges(this.last),
      lastAtMillis: ofGauges(this.lastAtMillis),
    };
    this.length = 0;
    this.#recent.fill(NO_ROW);
    return { sums, gauges };
  }

  #newRow(series: number, second: number, place: number): number {
    if (this.length === this.second.length) this.#grow();
    if (place >= this.#recent.length) {
      const recent = new Uint32Array(
        Math.max(2 * this.#recent.length, 64 * RECENT_SECONDS, place + 1),
      );
      recent.fill(NO_ROW).set(this.#recent);
      this.#recent = recent;
    }
    const row = this.length++;
    this.#recent[place] = row;
    this.series[row] = series;
    this.second[row] = second;
    this.count[row] = 0;
    this.sumMillions[row] = 0;
    this.sumNanos[row] = 0;
    this.min[row] = Infinity;
    this.max[row] = -Infinity;
    this.last[row] = -Infinity;
    this.lastAtMillis[row] = 0;
    return row;
  }

  #grow(): void {
    const rows = this.length + 1;
    this.series = grown(this.series, rows);
    this.second = grown(this.second, rows);
    this.count = grown(this.count, rows);
    this.sumMillions = grown(this.sumMillions, rows);
    this.sumNanos = grown(this.sumNanos, rows);
    this.min = grown(this.min, rows);
    this.max = grown(this.max, rows);
    this.last = grown(this.last, rows);
    this.lastAtMillis = grown(this.lastAtMillis, rows);
  }
}
