import { LruCache } from "../../../concurrency/lru-cache.ts";
import type { MeasureSeries } from "../../../model/measures/measure-table.ts";
import { keyOfSeries } from "../../../model/measures/merge-measures.ts";
import type { Snapshot } from "../../snapshot.ts";
import { fittingMeasures } from "../../stored-measures.ts";
import type { StoredLoadTest } from "../catalogue/attributes.ts";
import type { FitMeasures } from "./contents.ts";

const LOAD_TESTS_REMEMBERED = 64;

/**
 * Keeps load tests within the limit of series, by those that are visible and those that this process has written since: other
 * processes that write at the same time may add some more.
 */
export class MeasureRoom {
  readonly #open: (stored: StoredLoadTest) => Promise<Snapshot>;
  readonly #known = new LruCache<string, Promise<Set<string>>>(LOAD_TESTS_REMEMBERED);

  constructor(open: (stored: StoredLoadTest) => Promise<Snapshot>) {
    this.#open = open;
  }

  /** Returns what cuts off the measures of a batch. */
  async of(stored: StoredLoadTest): Promise<FitMeasures> {
    const { loadTestId, incarnation } = stored.shardKey;
    const name = `${loadTestId} ${incarnation}`;
    const reading = this.#known.get(name) ?? this.#read(stored);
    this.#known.set(name, reading);
    reading.catch(() => this.#known.delete(name));
    const known = await reading;
    return (measures, labels) => {
      const fitting = fittingMeasures(measures, known, (series) =>
        keyByText(series, labels[series.label ?? -1]),
      );
      for (const key of fitting.added) known.add(key);
      return fitting.measures;
    };
  }

  async #read(stored: StoredLoadTest): Promise<Set<string>> {
    const snapshot = await this.#open(stored);
    try {
      const { series } = await snapshot.measureIndex();
      const numbers = [...new Set(series.flatMap(({ label }) => label ?? []))];
      const endpoints = await (await snapshot.index()).named(Uint32Array.from(numbers));
      const texts = new Map(endpoints.map(({ number, label }) => [number, label]));
      return new Set(series.map((each) => keyByText(each, texts.get(each.label ?? -1))));
    } finally {
      snapshot.release();
    }
  }
}

function keyByText(series: MeasureSeries, label: string | undefined): string {
  return `${keyOfSeries({ ...series, label: undefined })} ${JSON.stringify(label ?? null)}`;
}
