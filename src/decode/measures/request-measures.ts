import { MEASURE_SERIES_MAX, type MeasureSink } from "../../model/measures/measure-table.ts";
import { type EndpointMeasure, EndpointMeasures } from "./endpoint-measures.ts";

/** Zeros of a measure that are held back, by endpoint and second. */
const HELD_MAX = 2 ** 17;
const SECONDS = 2 ** 32;
/** Not stored. */
const OTHER_NAMES = "";
const MILLIS_PER_SECOND = 1000;

/** In ms. */
export function phase(name: string): EndpointMeasure {
  return { name, unit: "ms", kind: "distribution" };
}

/** Measures of files with a request per record. One that is 0 in all was not recorded: zeros are held back until another value. */
export class RequestMeasures {
  readonly #measures: EndpointMeasures;
  readonly #about: EndpointMeasure[];
  /** Zeros by label and second; `undefined` once there is another value. */
  readonly #held: (Map<number, number> | undefined)[];
  /** By measure and label. */
  readonly #series: (number | undefined)[][];
  readonly #named = new Map<string, number>();

  constructor(sink: MeasureSink, about: readonly EndpointMeasure[]) {
    this.#measures = new EndpointMeasures(sink);
    this.#about = [...about];
    this.#held = about.map(() => new Map());
    this.#series = about.map(() => []);
  }

  /** Adds a value of a request. NaN is counted as not stored. */
  add(measure: number, label: number, second: number, value: number): void {
    const held = this.#held[measure];
    if (held !== undefined && !Number.isNaN(value)) {
      const key = label * SECONDS + second;
      if (value === 0 && held.size < HELD_MAX) {
        held.set(key, (held.get(key) ?? 0) + 1);
        return;
      }
      this.#release(measure, held);
    }
    this.#add(measure, label, second, value);
  }

  /**
   * Adds a value of a request to a distribution that the source names. Values in another unit than the first, and of
   * names beyond the number of series that are stored, are counted as not stored.
   */
  addNamed(
    measure: Omit<EndpointMeasure, "kind">,
    label: number,
    second: number,
    value: number,
  ): void {
    const isOver = this.#named.size >= MEASURE_SERIES_MAX && !this.#named.has(measure.name);
    const { name, unit } = isOver ? { name: OTHER_NAMES, unit: "" } : measure;
    const known =
      this.#named.get(name) ?? this.#about.push({ name, unit, kind: "distribution" }) - 1;
    this.#named.set(name, known);
    this.#series[known] ??= [];
    const isStored = !isOver && this.#about[known]?.unit === unit;
    this.#add(known, label, second, isStored ? value : Number.NaN);
  }

  /** Hands over the open minutes. */
  flush(): void {
    this.#measures.flush();
  }

  #release(measure: number, held: ReadonlyMap<number, number>): void {
    this.#held[measure] = undefined;
    for (const [key, zeros] of held) {
      const second = key % SECONDS;
      for (let each = 0; each < zeros; each++) {
        this.#add(measure, (key - second) / SECONDS, second, 0);
      }
    }
  }

  #add(measure: number, label: number, second: number, value: number): void {
    const series = this.#seriesOf(measure, label);
    this.#measures.add(series, second * MILLIS_PER_SECOND, value);
  }

  #seriesOf(measure: number, label: number): number {
    const ofLabels = this.#series[measure] as (number | undefined)[];
    const known = ofLabels[label];
    if (known !== undefined) return known;
    const series = this.#measures.byMinute(this.#about[measure] as EndpointMeasure, label);
    // Of refused ones there can be many.
    if (series >= 0) ofLabels[label] = series;
    return series;
  }
}
