import type { MeasureSink } from "../../model/measures/measure-table.ts";
import { EndpointMeasures } from "../measures/endpoint-measures.ts";
import { quoted } from "../quoted.ts";
import type { VariableColumn } from "./jmeter-csv-columns.ts";
import { type MeasuredRow, writtenNumber } from "./jmeter-measures.ts";

/** Values without a number, after which a variable is text. */
const TEXTS_MAX = 1000;
/** JMeter's value of a variable that is not set. */
const UNSET = "null";
const MILLIS_PER_SECOND = 1000;
const latin1 = new TextDecoder("latin1");

interface Variable {
  isNumber: boolean;
  /** Values that are no number, before the first one that is. */
  texts: number;
}

/** Hands on JMeter's sample variables, as far as they are numbers. */
export class JmeterVariables {
  readonly #sink: MeasureSink;
  readonly #measures: EndpointMeasures;
  readonly #variables = new Map<string, Variable>();

  constructor(sink: MeasureSink) {
    this.#sink = sink;
    this.#measures = new EndpointMeasures(sink);
  }

  /** Whether values of a variable are wanted: one is text once it had only that for long. */
  wants({ name }: VariableColumn): boolean {
    const { isNumber, texts } = this.#variableOf(name);
    return isNumber || texts < TEXTS_MAX;
  }

  /** Adds the value of a row. `undefined`: it may be truncated. */
  add(column: VariableColumn, row: MeasuredRow, contents: Uint8Array | undefined): void {
    if (contents?.length === 0 || (contents && latin1.decode(contents) === UNSET)) return;
    const variable = this.#variableOf(column.name);
    const value = contents === undefined ? NaN : writtenNumber(contents, 0, contents.length);
    const isNumber = Math.abs(value) <= Number.MAX_SAFE_INTEGER;
    if (!isNumber && !variable.isNumber) {
      variable.texts += 1;
      return;
    }
    variable.isNumber = true;
    const measure = { name: column.name, unit: "", kind: "distribution" } as const;
    const unixMillis = row.second * MILLIS_PER_SECOND;
    const refused = variable.texts + (isNumber ? 0 : 1);
    variable.texts = 0;
    if (refused > 0) {
      const whole = this.#sink.seriesOf({ ...measure, label: undefined, tags: [] });
      this.#sink.addWindow(whole, unixMillis, { count: refused, sum: Number.NaN });
    }
    if (!isNumber) return;
    const series = this.#measures.byMinute(measure, row.label);
    if (row.isWhole) this.#measures.add(series, unixMillis, value);
    else this.#measures.addToEndpoint(series, unixMillis, value);
  }

  /** Hands over the open minutes. */
  flush(): void {
    this.#measures.flush();
  }

  notes(): string[] {
    const texts = [...this.#variables].filter(
      ([, { isNumber, texts: count }]) => !isNumber && count > 0,
    );
    if (texts.length === 0) return [];
    return [
      `sample variables without numbers, not stored: ${texts.map(([name]) => quoted(name)).join(", ")}`,
    ];
  }

  #variableOf(name: string): Variable {
    const known = this.#variables.get(name) ?? { isNumber: false, texts: 0 };
    this.#variables.set(name, known);
    return known;
  }
}
