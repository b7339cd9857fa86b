import {
  type MeasuredValues,
  type MeasureSeries,
  type MeasureSink,
  minuteOf,
  type MeasureWindow,
  SECONDS_PER_MINUTE,
} from "../../model/measures/measure-table.ts";
import { nanosOf } from "../../model/measures/decimal-sum.ts";

export type EndpointMeasure = Pick<MeasureSeries, "name" | "unit" | "kind">;

/** Hands on what was measured of single requests. */
export class EndpointMeasures {
  readonly #sink: MeasureSink;
  /** Series by measure and tag, then by label. */
  readonly #series = new Map<string | number, Map<number | undefined, number>>();
  readonly #minutes: EndpointMinutes;
  /** By measure and tag, the number of series that the sink refuses, once it does. */
  readonly #refused = new Map<string | number, number>();

  constructor(sink: MeasureSink) {
    this.#sink = sink;
    this.#minutes = new EndpointMinutes(sink);
  }

  /** The series of a measure by minute; its values also count for the load test, by second. */
  byMinute({ name, unit, kind }: EndpointMeasure, label: number | undefined): number {
    const measure = { name, unit, kind, tags: [] };
    const series = this.bySecond(name, label, measure);
    if (series >= 0 && !this.#minutes.has(series)) {
      this.#minutes.open(series, this.#sink.seriesOf({ ...measure, label: undefined }));
    }
    return series;
  }

  /** The series of an endpoint alone. `key`: the same for the same measure. Caches no refused series: there can be many. */
  bySecond(
    key: string | number,
    label: number | undefined,
    measure: Omit<MeasureSeries, "label">,
  ): number {
    const ofLabels = this.#series.get(key) ?? new Map<number | undefined, number>();
    this.#series.set(key, ofLabels);
    const known = ofLabels.get(label) ?? this.#refused.get(key);
    if (known !== undefined) return known;
    const series = this.#sink.seriesOf({ label, ...measure });
    if (series < 0) this.#refused.set(key, series);
    else ofLabels.set(label, series);
    return series;
  }

  /** The series of the load test, of one by minute. */
  wholeOf(series: number): number {
    return this.#minutes.wholeOf(series);
  }

  /** Adds a value of any series, at a time in ms since the epoch. */
  add(series: number, unixMillis: number, value: number): void {
    this.#sink.add(this.#minutes.add(series, unixMillis, value), unixMillis, value);
  }

  /** Adds a finite value to a series of `byMinute`, and not to the load test. */
  addToEndpoint(series: number, unixMillis: number, value: number): void {
    const left = this.#minutes.add(series, unixMillis, value);
    if (left === series) this.#sink.add(series, unixMillis, value);
  }

  /** Adds many values, and changes their series. */
  addAll(values: MeasuredValues): void {
    const { series, unixMillis, value } = values;
    for (let at = 0; at < series.length; at++) {
      const [number, atMillis] = [series[at] as number, unixMillis[at] as number];
      series[at] = this.#minutes.add(number, atMillis, value[at] as number);
    }
    this.#sink.addAll(values);
  }

  /** Hands over the open minute of a series. */
  close(series: number): void {
    this.#minutes.close(series);
  }

  /** Hands over the open minutes. */
  flush(): void {
    this.#minutes.flush();
  }
}

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
