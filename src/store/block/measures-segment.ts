/** The segment of a block of measures (docs/internals/formats/block.md, "Measures"). */

import { decimalOf, addDecimal, type DecimalSums } from "../../model/measures/decimal-sum.ts";
import {
  type GaugeColumns,
  MEASURE_KINDS,
  type MeasureKind,
  type MeasureSeries,
  type MeasureSums,
  type MeasureTable,
  measureColumns,
  NO_MEASURES,
  UNSTORED_REASONS,
  type UnstoredValues,
  type MeasureHistograms,
  SECONDS_PER_MINUTE,
} from "../../model/measures/measure-table.ts";
import { concatenate, concatenateBuckets } from "../../model/row-groups.ts";
import { packMeasures } from "./block-kernel.ts";
import type { ByteReader, ByteWriter } from "./bytes.ts";
import {
  beginSegment,
  closeSegment,
  damagedSegment,
  openSegment,
  readText,
  writeText,
} from "./envelope.ts";
import { readPacked, startsOf, readPredicted } from "./packed-column.ts";
import { readSeconds } from "./seconds-column.ts";

const FIRST = Uint32Array.of(0);

/** Encodes a table returned by `mergeMeasures`; at most as many rows and used buckets as `packMeasures` takes. */
export function encodeMeasures(table: MeasureTable): Uint8Array {
  const writer = beginSegment("measures");
  for (const reason of UNSTORED_REASONS) writer.varint(table.unstored[reason]);
  writer.varint(table.series.length);
  writeSeries(writer, table.series);
  for (const part of packMeasures(table)) writer.bytes(part);
  return closeSegment(writer);
}

export interface OpenedMeasures {
  readonly series: readonly MeasureSeries[];
  readonly unstored: UnstoredValues;
  /** Returns the rows of one series, as the only one of the table; nothing is unstored. */
  table(number: number): MeasureTable;
}

/** Opens the segment; rows are decoded when they are asked for. Throws `damaged-store`, `store-too-new`. */
export function openMeasures(segment: Uint8Array): OpenedMeasures {
  const { reader } = openSegment("measures", segment);
  const unstored = Object.fromEntries(
    UNSTORED_REASONS.map((reason) => [reason, reader.varint()]),
  ) as Record<(typeof UNSTORED_REASONS)[number], number>;
  const series = readSeriesAgain(reader, segment);
  const lengths = readPacked(reader, series.length);
  const starts = startsOf(lengths, reader.at);
  return {
    series,
    unstored,
    table(number) {
      reader.at = starts[number] as number;
      const own = series[number] as MeasureSeries;
      return { ...NO_MEASURES, series: [own], ...readSection(reader, own.kind) };
    },
  };
}

/** Decodes all of it. Throws `damaged-store`, `store-too-new`. */
export function decodeMeasures(segment: Uint8Array): MeasureTable {
  const opened = openMeasures(segment);
  const { series, unstored } = opened;
  // As they were merged: unique, and in order.
  const parts = series.map((_, number) => opened.table(number));
  const histograms = concatenateBuckets(parts.map((part) => part.histograms));
  const columns = measureColumns(([part, name, Kind]) => {
    const known = histograms[name as keyof typeof histograms];
    if (known !== undefined) return known;
    const columnOf = (each: MeasureTable) => each[part][name as "series"];
    return concatenate(Kind as typeof Uint32Array, parts, (each, number) =>
      name === "series" ? columnOf(each).slice().fill(number) : columnOf(each),
    );
  });
  return { series, ...columns, unstored };
}

/** Texts repeat from series to series, so each is written once. */
function writeSeries(writer: ByteWriter, all: readonly MeasureSeries[]): void {
  const numbers = new Map<string, number>();
  const numberOf = (text: string): number => {
    const number = numbers.get(text) ?? numbers.size;
    numbers.set(text, number);
    return number;
  };
  const fields = all.map(({ label, name, unit, kind, tags }) => [
    label === undefined ? 0 : label + 1,
    MEASURE_KINDS.indexOf(kind),
    numberOf(name),
    numberOf(unit),
    tags.length,
    ...tags.flat().map(numberOf),
  ]);
  writer.varint(numbers.size);
  for (const text of numbers.keys()) writeText(writer, text);
  for (const field of fields.flat()) writer.varint(field);
}

/** The last ones that were read. */
let before: { readonly bytes: Uint8Array; readonly series: readonly MeasureSeries[] } | undefined;

/** Blocks that follow each other often have the same series, which are then read once. */
function readSeriesAgain(reader: ByteReader, segment: Uint8Array): readonly MeasureSeries[] {
  const from = reader.at;
  const { bytes, series: known } = before ?? {};
  if (bytes !== undefined && known !== undefined) {
    const until = from + bytes.length;
    if (Buffer.compare(bytes, segment.subarray(from, until)) === 0) {
      reader.at = until;
      return known;
    }
  }
  const series = readSeries(reader, reader.varint());
  before = { bytes: segment.slice(from, reader.at), series };
  return series;
}

function readSeries(reader: ByteReader, count: number): readonly MeasureSeries[] {
  const texts = Array.from({ length: reader.varint() }, () => readText(reader));
  const text = (): string => texts[reader.varint()] ?? damaged("a text");
  return Array.from({ length: count }, (): MeasureSeries => {
    const label = reader.varint();
    const kind = MEASURE_KINDS[reader.varint()] ?? damaged("a kind");
    const [name, unit] = [text(), text()];
    const tags = Array.from({ length: reader.varint() }, () => [text(), text()] as const);
    return { label: label === 0 ? undefined : label - 1, name, unit, kind, tags };
  });
}

function damaged(what: string): never {
  throw damagedSegment("measures", `it has ${what} that does not exist`);
}

/** Columns of one series. */
type Rows = Pick<MeasureTable, "sums" | "gauges" | "histograms">;

function readSection(reader: ByteReader, kind: MeasureKind): Rows {
  const rows = reader.varint();
  const second = readSeconds(reader, rows, FIRST);
  const count = readPacked(reader, rows);
  const series = new Uint32Array(rows);
  const sums = { series, second, count, ...readDecimals(reader, count) };
  return {
    sums,
    gauges: kind === "gauge" ? readGauge(reader, sums) : NO_MEASURES.gauges,
    histograms: kind === "distribution" ? readHistograms(reader) : NO_MEASURES.histograms,
  };
}

/** Most seconds of a gauge have one value, which is the sum: only the others are stored. */
function readGauge(reader: ByteReader, sums: MeasureSums): GaugeColumns {
  const rows = sums.second.length;
  const lastAtMillis = Uint32Array.from(readPacked(reader, rows));
  const gaps = readPacked(reader, reader.varint());
  const last = Float64Array.from(sums.second, (_, row) => decimalOf(sums, row));
  const [min, max] = [last.slice(), last.slice()];
  const columns = { series: sums.series, second: sums.second, min, max, last, lastAtMillis };
  if (gaps.length === 0) return columns;
  const others = {
    min: readValues(reader, gaps.length, -Infinity),
    max: readValues(reader, gaps.length, Infinity),
    last: readValues(reader, gaps.length, Infinity),
  };
  let row = 0;
  for (const [index, gap] of gaps.entries()) {
    row += gap;
    min[row] = others.min[index] as number;
    max[row] = others.max[index] as number;
    last[row] = others.last[index] as number;
    row += 1;
  }
  return columns;
}

/** By minute, as those of series 0. */
function readHistograms(reader: ByteReader): MeasureHistograms {
  const rows = reader.varint();
  const minute = readSeconds(reader, rows, FIRST).map((each) => each * SECONDS_PER_MINUTE);
  const min = readValues(reader, rows, -Infinity);
  const max = readValues(reader, rows, Infinity);
  const sizes = readPacked(reader, rows);
  const bucketsFrom = new Uint32Array(rows + 1);
  for (const [row, size] of sizes.entries()) {
    bucketsFrom[row + 1] = (bucketsFrom[row] as number) + size;
  }
  const entries = bucketsFrom[rows] as number;
  const used = sizes.reduce((sum, size) => sum + Math.min(1, size), 0);
  const firsts = readPacked(reader, used);
  const gaps = readPacked(reader, entries - used);
  const bucket = new Uint16Array(entries);
  let [first, gap] = [0, 0];
  for (let row = 0; row < rows; row++) {
    const from = bucketsFrom[row] as number;
    const until = bucketsFrom[row + 1] as number;
    if (from < until) bucket[from] = firsts[first++] as number;
    for (let entry = from + 1; entry < until; entry++) {
      bucket[entry] = (bucket[entry - 1] as number) + 1 + (gaps[gap++] as number);
    }
  }
  const bucketCount = readPacked(reader, entries);
  const series = new Uint32Array(rows);
  return { series, minute, min, max, bucketsFrom, bucket, bucketCount };
}

const PLACES = 15;
const FORMS = { predicted: 0, packed: 1, split: 2 } as const;

function readDecimals(reader: ByteReader, counts: Float64Array): DecimalSums {
  const sums = {
    sumMillions: new Float64Array(counts.length),
    sumNanos: new Float64Array(counts.length),
  };
  if (counts.length === 0) return sums;
  const form = reader.byte();
  const zeros = reader.byte();
  const unit = 10 ** zeros;
  const perMillion = 10 ** (PLACES - zeros);
  if (form === FORMS.split) {
    const millions = readPacked(reader, counts.length);
    const nanos = readPacked(reader, counts.length);
    for (const [row, each] of millions.entries()) {
      addDecimal(sums, row, each, (nanos[row] as number) * unit);
    }
    return sums;
  }
  const values =
    form === FORMS.predicted ? readPredicted(reader, counts) : readPacked(reader, counts.length);
  for (let row = 0; row < values.length; row++) {
    const value = values[row] as number;
    const millions = Math.trunc(value / perMillion);
    addDecimal(sums, row, millions, (value - millions * perMillion) * unit);
  }
  return sums;
}

/** Reads so many values as `asDecimal` returns them, with `unknown` for infinities. */
function readValues(reader: ByteReader, count: number, unknown: number): Float64Array {
  const gaps = readPacked(reader, reader.varint());
  const isUnknown = new Uint8Array(count);
  let next = 0;
  for (const gap of gaps) {
    isUnknown[next + gap] = 1;
    next += gap + 1;
  }
  const ones = new Float64Array(count - gaps.length).fill(1);
  const known = readDecimals(reader, ones);
  let at = 0;
  return Float64Array.from(isUnknown, (flag) => (flag === 1 ? unknown : decimalOf(known, at++)));
}
