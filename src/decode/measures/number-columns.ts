import { MEASURE_SERIES_MAX, type MeasureSink } from "../../model/measures/measure-table.ts";
import { writtenNumber } from "../bytes/exact-number.ts";
import { EndpointMeasures } from "./endpoint-measures.ts";
import { measureUnitOf } from "./metric-names.ts";
import { quoted } from "../quoted.ts";

/** Values without a number, after which a column is text. */
const TEXTS_MAX = 1000;
/** JMeter's value of a variable that is not set. */
const UNSET = "null";
const MILLIS_PER_SECOND = 1000;
const latin1 = new TextDecoder("latin1");

interface NumberedRow {
  readonly label: number;
  readonly second: number;
  /** Whether the load test as a whole has it, too. @default true */
  readonly isWhole?: boolean;
}

interface Column {
  readonly measure: { readonly name: string; readonly unit: string; readonly kind: "distribution" };
  isNumber: boolean;
  /** Values that are no number, before the first one that is. */
  texts: number;
}

function isUnset(contents: Uint8Array | undefined): boolean {
  if (contents === undefined) return false;
  return contents.length === 0 || latin1.decode(contents) === UNSET;
}

/** Hands on columns of any names as distributions, as far as they are numbers; JMeter's sample variables, for example. */
export class NumberColumns {
  readonly #sink: MeasureSink;
  readonly #measures: EndpointMeasures;
  readonly #columns = new Map<string, Column>();
  readonly #facets: ReadonlySet<string>;

  /** `facets`: names of columns that are stored as facets. */
  constructor(sink: MeasureSink, facets: readonly string[] = []) {
    this.#sink = sink;
    this.#facets = new Set(facets);
    this.#measures = new EndpointMeasures(sink);
  }

  /** Whether values of a column are wanted: one is text once it had only that for long. */
  wants({ name }: { readonly name: string }): boolean {
    const { isNumber, texts } = this.#columnOf(name);
    return isNumber || texts < TEXTS_MAX;
  }

  /** Adds the value of a row. `undefined`: it may be truncated. */
  add(
    { name }: { readonly name: string },
    row: NumberedRow,
    contents: Uint8Array | undefined,
  ): void {
    if (isUnset(contents)) return;
    const column = this.#columnOf(name);
    const value = contents === undefined ? NaN : writtenNumber(contents, 0, contents.length);
    const isNumber = Math.abs(value) <= Number.MAX_SAFE_INTEGER;
    if (!isNumber && !column.isNumber) {
      column.texts += 1;
      return;
    }
    column.isNumber = true;
    const { measure } = column;
    const unixMillis = row.second * MILLIS_PER_SECOND;
    const refused = column.texts + (isNumber ? 0 : 1);
    column.texts = 0;
    if (refused > 0) {
      const whole = this.#sink.seriesOf({ ...measure, label: undefined, tags: [] });
      this.#sink.addWindow(whole, unixMillis, { count: refused, sum: Number.NaN });
    }
    if (!isNumber) return;
    const series = this.#measures.byMinute(measure, row.label);
    if (row.isWhole ?? true) this.#measures.add(series, unixMillis, value);
    else this.#measures.addToEndpoint(series, unixMillis, value);
  }

  /** Hands over the open minutes. */
  flush(): void {
    this.#measures.flush();
  }

  notes(): string[] {
    const texts = [...this.#columns].filter(
      ([name, { isNumber, texts: count }]) => !isNumber && count > 0 && !this.#facets.has(name),
    );
    if (texts.length === 0) return [];
    return [
      `sample variables without numbers, not stored: ${texts.map(([name]) => quoted(name)).join(", ")}`,
    ];
  }

  /** Further columns count under an empty name, which is not stored. */
  #columnOf(name: string): Column {
    const isKnown = this.#columns.has(name) || this.#columns.size < MEASURE_SERIES_MAX;
    const stored = isKnown ? name : "";
    const known = this.#columns.get(stored) ?? {
      measure: { name: stored, unit: measureUnitOf(stored), kind: "distribution" },
      isNumber: false,
      texts: 0,
    };
    this.#columns.set(stored, known);
    return known;
  }
}
