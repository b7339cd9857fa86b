import {
  minuteOf,
  type MeasureSink,
  type MeasureWindow,
  SECONDS_PER_MINUTE,
} from "../../model/measures/measure-table.ts";
import { nanosOf } from "../../model/measures/decimal-sum.ts";

/** Cells of a series, side by side; of one that is not summed up, the count is NaN. */
const CELLS = 8;
const CELL = { whole: 0, minute: 1, count: 2, nanos: 3, min: 4, max: 5 } as const;

/** Values below are summed up in billionths, whose sums are exact as numbers, and as the number nearest to them, up to 2^51. */
const SMALL_MAX = 1e6;
const NANOS = 1e9;
const NANOS_MAX = 2 ** 51;

const MILLIS_PER_SECOND = 1000;

/** Measures of requests, such as phases: for the load test by second and with their distribution, for endpoints by minute without it. */
export class EndpointMinutes {
  readonly #sink: MeasureSink;
  /** By the series of the endpoint. */
  #cells = new Float64Array(0);

  constructor(sink: MeasureSink) {
    this.#sink = sink;
  }

  has(series: number): boolean {
    // Not before the first element: that would be slow.
    return series >= 0 && (this.#cells[series * CELLS + CELL.count] as number) >= 0;
  }

  /** The series of the load test, of one that was opened. */
  wholeOf(series: number): number {
    return this.#cells[series * CELLS + CELL.whole] as number;
  }

  /** Adds the series of an endpoint; `whole` is that of the load test. */
  open(series: number, whole: number): void {
    const at = series * CELLS;
    if (at >= this.#cells.length) {
      const wider = new Float64Array(2 * (at + CELLS)).fill(Number.NaN);
      wider.set(this.#cells);
      this.#cells = wider;
    }
    this.#cells[at + CELL.whole] = whole;
    this.#cells[at + CELL.minute] = 0;
    this.#clear(at);
  }

  /**
   * Adds a value at a time in ms since the epoch, if the series was opened. Returns the series to which the value is
   * still to be added: that of the load test, or the same.
   */
  add(series: number, unixMillis: number, value: number): number {
    if (!this.has(series)) return series;
    const cells = this.#cells;
    const at = series * CELLS;
    const whole = cells[at + CELL.whole] as number;
    const second = unixMillis / MILLIS_PER_SECOND;
    // What is not stored is counted for the load test.
    if (!(Math.abs(value) <= Number.MAX_SAFE_INTEGER) || !(second >= 0)) return whole;
    const sinceMinute = second - (cells[at + CELL.minute] as number);
    if (!(sinceMinute >= 0 && sinceMinute < SECONDS_PER_MINUTE)) {
      this.close(series);
      cells[at + CELL.minute] = minuteOf(second);
    }
    if (!(value >= 0 && value < SMALL_MAX)) {
      this.#hand(series, { count: 1, sum: value, min: value, max: value });
      return whole;
    }
    const nanos = nanosOf(value);
    if ((cells[at + CELL.nanos] as number) + nanos > NANOS_MAX) this.close(series);
    cells[at + CELL.count] = (cells[at + CELL.count] as number) + 1;
    cells[at + CELL.nanos] = (cells[at + CELL.nanos] as number) + nanos;
    if (value < (cells[at + CELL.min] as number)) cells[at + CELL.min] = value;
    if (value > (cells[at + CELL.max] as number)) cells[at + CELL.max] = value;
    return whole;
  }

  /** Hands over the open minutes. */
  flush(): void {
    for (let series = 0; series * CELLS < this.#cells.length; series++) this.close(series);
  }

  /** Hands over the open minute of a series. */
  close(series: number): void {
    const cells = this.#cells;
    const at = series * CELLS;
    const count = cells[at + CELL.count] as number;
    if (!(count > 0)) return;
    cells[at + CELL.nanos] = (cells[at + CELL.nanos] as number) / NANOS;
    this.#sink.addSums(series, cells[at + CELL.minute] as number, cells, at + CELL.count);
    this.#clear(at);
  }

  #hand(series: number, window: MeasureWindow): void {
    const minute = this.#cells[series * CELLS + CELL.minute] as number;
    this.#sink.addWindow(series, minute * MILLIS_PER_SECOND, { ...window, entries: [] });
  }

  #clear(at: number): void {
    this.#cells[at + CELL.count] = 0;
    this.#cells[at + CELL.nanos] = 0;
    this.#cells[at + CELL.min] = Infinity;
    this.#cells[at + CELL.max] = -Infinity;
  }
}
