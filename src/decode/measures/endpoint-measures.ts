import type {
  MeasuredValues,
  MeasureSeries,
  MeasureSink,
} from "../../model/measures/measure-table.ts";
import { EndpointMinutes } from "./endpoint-minutes.ts";

/** What of a series is the same for every endpoint. */
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
