import type { MeasureSeries, MeasureSink } from "../../model/measures/measure-table.ts";
import type { ArtilleryNames } from "./artillery-names.ts";
import { ALL_TIMES, type ArtilleryPeriod, isOfAll } from "./artillery-period.ts";
import type { ArtillerySummary } from "./artillery-summary.ts";

/** Units of Artillery's own metrics; those of scripts have none. */
const UNITS: readonly (readonly [pattern: RegExp, unit: string])[] = [
  [/^http\.downloaded_bytes$/, "By"],
  [/^(?:http\.response_time\.|vusers\.session_length$)/, "ms"],
];
const MILLIS_PER_SECOND = 1000;

/** Hands on counters and summaries that are not those of requests and their failures. */
export class ArtilleryMeasures {
  readonly #sink: MeasureSink;

  constructor(sink: MeasureSink) {
    this.#sink = sink;
  }

  /** `second`: the start of the window. */
  take({ counters, summaries }: ArtilleryPeriod, names: ArtilleryNames, second: number): void {
    for (const [name, count] of counters) {
      if (isOfAll(name) || names.counter(name) !== undefined) continue;
      this.#sink.add(this.#seriesOf(name, "counter"), second * MILLIS_PER_SECOND, count);
    }
    for (const [name, summary] of summaries) {
      if (name === ALL_TIMES || names.isTimes(name)) continue;
      this.#addSummary(this.#seriesOf(name, "distribution"), second, summary);
    }
  }

  #seriesOf(name: string, kind: MeasureSeries["kind"]): number {
    const unit = UNITS.find(([pattern]) => pattern.test(name))?.[1] ?? "";
    return this.#sink.seriesOf({ label: undefined, name, unit, kind, tags: [] });
  }

  /** The mean has one decimal, so that the sum is about right. */
  #addSummary(series: number, second: number, summary: ArtillerySummary): void {
    const [count, mean, min, max] = ["count", "mean", "min", "max"].map((name) => {
      return Number(summary.get(name) ?? Number.NaN);
    }) as [number, number, number, number];
    const window = { count, sum: mean * count, min, max, entries: [] };
    this.#sink.addWindow(series, second * MILLIS_PER_SECOND, window);
  }
}
