import { parsedJson } from "../../model/json-text.ts";
import { addValue, asDecimal } from "../../model/measures/decimal-sum.ts";
import {
  MEASURE_KINDS,
  measureColumns,
  type MeasureSeries,
  type MeasureTable,
  NO_MEASURES,
} from "../../model/measures/measure-table.ts";
import { keyOfSeries } from "../../model/measures/merge-measures.ts";
import { valueBucketMiddle, valueBucketOf } from "../../model/measures/value-buckets.ts";
import { GrowingTable } from "../../model/row-groups.ts";
import type { RowReader } from "./row-reader.ts";

const SECOND_MAX = 2 ** 32 - 1;
const NANOS_MAX = 1e15 - 1;
const MILLIS_MAX = 3_600_000;

/** Gathers rows of measures into a table: those with a count are sums, the others histograms of minutes. */
export class MeasureRows {
  readonly #series = new GrowingTable<MeasureSeries>(keyOfSeries);
  readonly #sums = lists("series", "second", "count", "sumMillions", "sumNanos");
  readonly #gauges = lists("series", "second", "min", "max", "last", "lastAtMillis");
  readonly #histograms = {
    ...lists("series", "minute", "min", "max", "bucket", "bucketCount"),
    bucketsFrom: [0],
  };

  /** Throws `unreadable-source` if the row is not one of a measure. */
  add(row: RowReader, label: number | undefined): void {
    const series = seriesOf(row, label);
    const number = this.#series.numberOf(series);
    if (row.isNull("value_count")) this.#addHistogram(row, number);
    else this.#addSums(row, number, series);
  }

  table(): MeasureTable {
    const rows = { sums: this.#sums, gauges: this.#gauges, histograms: this.#histograms };
    const columns = measureColumns(([part, name, Kind]) =>
      Kind.from((rows[part] as Readonly<Record<string, number[]>>)[name] ?? []),
    );
    return { series: this.#series.entries, ...columns, unstored: NO_MEASURES.unstored };
  }

  #addSums(row: RowReader, number: number, { kind }: MeasureSeries): void {
    const second = row.integer("second", 0, SECOND_MAX);
    this.#sums.series.push(number);
    this.#sums.second.push(second);
    this.#sums.count.push(row.integer("value_count", 1));
    const [millions, nanos] = exactSum(row);
    this.#sums.sumMillions.push(millions);
    this.#sums.sumNanos.push(nanos);
    if (kind !== "gauge") return;
    this.#gauges.series.push(number);
    this.#gauges.second.push(second);
    this.#gauges.min.push(decimal(row, "value_min", -Infinity));
    this.#gauges.max.push(decimal(row, "value_max", Infinity));
    this.#gauges.last.push(decimal(row, "value_last"));
    this.#gauges.lastAtMillis.push(row.integer("last_at_millis", 0, MILLIS_MAX));
  }

  #addHistogram(row: RowReader, number: number): void {
    const [values, counts] = [row.numbers("bucket_values"), row.integers("bucket_counts", 1)];
    if (values.length !== counts.length) {
      throw row.fault("bucket_counts", `${values.length} numbers`, counts.length);
    }
    this.#histograms.series.push(number);
    this.#histograms.minute.push(row.integer("second", 0, SECOND_MAX));
    this.#histograms.min.push(decimal(row, "value_min", -Infinity));
    this.#histograms.max.push(decimal(row, "value_max", Infinity));
    for (const value of values) {
      const bucket = valueBucketOf(value);
      const isMiddle =
        valueBucketMiddle(bucket) === value && Math.abs(value) <= Number.MAX_SAFE_INTEGER;
      if (!isMiddle) throw row.fault("bucket_values", "middles of buckets", value);
      this.#histograms.bucket.push(bucket);
    }
    this.#histograms.bucketCount.push(...counts);
    this.#histograms.bucketsFrom.push(this.#histograms.bucket.length);
  }
}

function lists<Name extends string>(...names: readonly Name[]): Readonly<Record<Name, number[]>> {
  return Object.fromEntries(names.map((name) => [name, []])) as Record<Name, never[]>;
}

function seriesOf(row: RowReader, label: number | undefined): MeasureSeries {
  const given = row.text("kind");
  const kind = MEASURE_KINDS.find((each) => each === given);
  if (kind === undefined) throw row.fault("kind", `one of ${MEASURE_KINDS.join(", ")}`, given);
  const name = row.text("measure") ?? "";
  return { label, name, unit: row.text("unit") ?? "", kind, tags: tagsOf(row) };
}

const NO_TAG = ["", undefined] as const;

function tagsOf(row: RowReader): MeasureSeries["tags"] {
  const text = row.text("tags") ?? "{}";
  const given = parsedJson(text);
  const tags = typeof given === "object" && given !== null ? Object.entries(given) : [NO_TAG];
  if (tags.every(([, value]) => typeof value === "string")) {
    return tags as readonly (readonly [name: string, value: string])[];
  }
  throw row.fault("tags", "a JSON object of texts", text);
}

/** Written apart where the nearest double is not the sum. */
function exactSum(row: RowReader): readonly [millions: number, nanos: number] {
  const most = Number.MAX_SAFE_INTEGER;
  if (!row.isNull("sum_millions")) {
    return [row.integer("sum_millions", -most, most), row.integer("sum_nanos", 0, NANOS_MAX)];
  }
  const sum = { sumMillions: new Float64Array(1), sumNanos: new Float64Array(1) };
  addValue(sum, 0, decimal(row, "value_sum"));
  return [sum.sumMillions[0] as number, sum.sumNanos[0] as number];
}

/** A multiple of 10^-9. */
function decimal(
  row: RowReader,
  name: "value_sum" | "value_min" | "value_max" | "value_last",
  otherwise?: number,
): number {
  const value = row.number(name) ?? otherwise;
  if (value === otherwise && value !== undefined) return value;
  const isStorable = value !== undefined && Math.abs(value) <= Number.MAX_SAFE_INTEGER;
  if (isStorable && asDecimal(value) === value) return value;
  throw row.fault(name, "a multiple of 10^-9 up to 2^53 - 1", value ?? null);
}
