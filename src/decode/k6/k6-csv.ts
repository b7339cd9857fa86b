import type { FailureKind } from "../../model/failures.ts";
import { ByteWindow } from "../bytes/byte-window.ts";
import { CsvReader, type CsvRecordHandler } from "../csv/csv-reader.ts";
import { CsvRecord } from "../csv/csv-record.ts";
import type { DecodeEnd, DecodeOptions, Decoder, Format, SampleSink } from "../decoder.ts";
import { isK6Csv, columnsOf, type K6CsvColumns, METRIC_COLUMN } from "./k6-csv-columns.ts";
import { UserError } from "../../model/errors.ts";
import { holdsZero, viewOf } from "../bytes/byte-words.ts";
import { type MetricKind, REQUEST_METRIC } from "./k6-metrics.ts";
import { K6Parts, STATUS } from "./k6-parts.ts";
import { K6FastLines } from "./k6-fast-lines.ts";
import type { K6LineForm } from "./k6-repeated-tags.ts";
import { K6Samples } from "./k6-samples.ts";
import { labelNotes } from "../labels/label-table.ts";
import { LabelTemplate } from "../labels/label-template.ts";
import { quoted } from "../quoted.ts";

/** The CSV that `k6 run --out csv=FILE` writes: docs/internals/formats/k6.md. */
export const k6Csv: Format = {
  name: "k6-csv",
  labelFields: "columns",
  recognises: isK6Csv,
  open: (sink, options) => new K6CsvDecoder(sink, options),
};

const COMMA = 0x2c;
const COMMAS = 0x2c2c2c2c;
const NUL = 0;
const HEADER = "header line with metric_name, timestamp and metric_value";

const FORM: K6LineForm = {
  beforeMetric: "",
  beforeTime: ",",
  beforeValue: ",",
  end: undefined,
  lengthMin: 0,
  allowsZeros: true,
};

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

class K6CsvDecoder implements Decoder {
  readonly labels: readonly string[];
  readonly failureKinds: readonly FailureKind[];
  readonly generators: readonly string[];
  readonly #window = new ByteWindow();
  readonly #records: K6CsvRecords;
  readonly #reader: CsvReader;

  constructor(sink: SampleSink, options: DecodeOptions) {
    this.#records = new K6CsvRecords(sink, options);
    this.labels = this.#records.labels;
    this.failureKinds = this.#records.failureKinds;
    this.generators = this.#records.generators;
    this.#reader = new CsvReader(this.#window, new CsvRecord(COMMA), this.#records, sink);
  }

  push(chunk: Uint8Array): void {
    this.#window.append(chunk);
    this.#records.beginIn(this.#window.bytes);
    this.#reader.read();
  }

  forgetLabels(): void {
    this.#records.forgetLabels();
  }

  flush(): void {
    this.#records.flush();
  }

  end(): DecodeEnd {
    const truncatedAt = this.#reader.end();
    return { truncatedAt, notes: this.#records.end() };
  }
}

/** Skips rows of other metrics by name; reads those of requests field by field. */
class K6CsvRecords implements CsvRecordHandler {
  readonly labels: readonly string[];
  readonly failureKinds: readonly FailureKind[];
  readonly generators: readonly string[];
  readonly #samples: K6Samples;
  readonly #parts = new K6Parts();
  readonly #fast: K6FastLines;
  /** `undefined` before the header. */
  #columns: K6CsvColumns | undefined;
  readonly #labelTemplate: string | undefined;
  #template: LabelTemplate | undefined;
  #buffer: Buffer = Buffer.alloc(0);
  #view = viewOf(this.#buffer);

  constructor(sink: SampleSink, { labelTemplate, labels }: DecodeOptions) {
    this.#labelTemplate = labelTemplate;
    this.#samples = new K6Samples(sink, labels);
    this.#fast = new K6FastLines(FORM, this.#samples, (kind, from, to) =>
      this.#takeFastRow(kind, from, to),
    );
    this.labels = this.#samples.labels.texts;
    this.failureKinds = this.#samples.failureKinds;
    this.generators = this.#samples.generators;
  }

  /** Sets the bytes; line feeds follow the last row. */
  beginIn(bytes: Buffer): void {
    if (bytes !== this.#buffer) {
      this.#buffer = bytes;
      this.#view = viewOf(bytes);
    }
    this.#fast.beginIn(bytes);
  }

  get fastRecords(): number {
    return this.#fast.count;
  }

  takeFast(_bytes: Uint8Array, from: number, to: number): number {
    return this.#columns?.isUsual === true ? this.#fast.read(from, to) : from;
  }

  take(record: CsvRecord, bytes: Uint8Array, start: number): string | undefined {
    if (bytes[start] !== NUL) return this.#takeRecord(record, bytes, start);
    // Lost data reads as NUL; the row after it can be complete.
    const nuls = nulsIn(bytes.subarray(start, start + record.length));
    const hole = `${nuls} NUL bytes: a part of the source was never written`;
    if (record.fields === 1 && record.to(0) === nuls) return hole;
    const reason = this.#takeRecord(record, bytes, start);
    return reason === undefined ? hole : `${hole}; after them: ${reason}`;
  }

  /** The last column of k6 is read only for templates. */
  cutReason(record: CsvRecord): string | undefined {
    const columns = this.#columns;
    if (columns === undefined) return undefined;
    if (record.fields !== columns.count) {
      return `the source ends inside a row: got ${fields(record.fields)}, want ${columns.count}`;
    }
    const last = columns.count - 1;
    const isRead =
      columns.parts[last] !== undefined ||
      this.#template?.uses([...columns.tags.values()].indexOf(last)) === true;
    return isRead
      ? "the source ends inside a row: no line end follows, and its last field may be truncated"
      : undefined;
  }

  forgetLabels(): void {
    this.#samples.labels.forgetTexts();
  }

  flush(): void {
    this.#samples.flush();
  }

  end(): readonly string[] {
    const notes = [...this.#samples.end(), ...labelNotes(this.#samples.labels)];
    if (this.#columns !== undefined) return notes;
    throw new UserError("unreadable-source", `cannot read this as k6 CSV: there is no ${HEADER}`);
  }

  /** Fast path for a row without quotes; returns whether it was read. */
  #takeFastRow(kind: MetricKind, from: number, to: number): boolean {
    if (this.#template !== undefined) return false;
    const buffer = this.#buffer;
    const { count, parts: partOf } = this.#columns as K6CsvColumns;
    const parts = this.#parts;
    parts.beginIn(buffer);
    let column = 0;
    let fieldFrom = from;
    for (let at = from; at <= to; at++) {
      // Skips long fields such as URLs by words.
      while (at + 4 <= to && !holdsZero(this.#view.getInt32(at, true) ^ COMMAS)) at += 4;
      if (at < to && buffer[at] !== COMMA) continue;
      const part = partOf[column];
      if (part !== undefined) {
        parts.from[part] = fieldFrom;
        parts.to[part] = at;
      }
      column += 1;
      fieldFrom = at + 1;
    }
    return column === count && this.#takeSample(kind) === undefined;
  }

  /** `contentsOf` returns columns for templates. */
  #takeSample(kind: MetricKind, contentsOf?: (column: number) => Uint8Array): string | undefined {
    const parts = this.#parts;
    if (kind === "request") {
      return this.#samples.read(parts) ?? this.#samples.record(parts, this.#label(contentsOf));
    }
    if (kind === "users") this.#samples.recordUsers(parts);
    else if (this.#samples.isWaiting) this.#samples.recordOutcome(parts, this.#label(contentsOf));
    return undefined;
  }

  #label(contentsOf: ((column: number) => Uint8Array) | undefined): number {
    if (this.#template !== undefined && contentsOf !== undefined) {
      const tags = [...(this.#columns as K6CsvColumns).tags.values()];
      return this.#template.indexIn(this.#samples.labels, (field) =>
        contentsOf(tags[field] as number),
      );
    }
    const { labelPart, bytes, from, to } = this.#parts;
    return this.#samples.labels.indexOf(bytes, from[labelPart] as number, to[labelPart] as number);
  }

  #takeRecord(record: CsvRecord, bytes: Uint8Array, start: number): string | undefined {
    const name = this.#metricName(record, bytes, start);
    const columns = this.#columns;
    if (columns === undefined || name === METRIC_COLUMN)
      return this.#takeHeader(record, bytes, start);
    const kind = this.#fast.metrics.kindOf(name);
    const isSkipped = kind !== undefined && !this.#fast.isWanted(kind);
    if (isSkipped && !this.#fast.mentionsRequest(start, start + record.length)) return undefined;
    if (record.fields !== columns.count) {
      return `got ${fields(record.fields)}, want ${columns.count}`;
    }
    if (isSkipped) return undefined;
    this.#parts.begin();
    for (const [column, part] of columns.parts.entries()) {
      if (part !== undefined) this.#parts.put(part, record.contents(bytes, start, column));
    }
    if (kind === undefined) return this.#takeUnknown(name);
    return this.#takeSample(kind, (column) => record.contents(bytes, start, column));
  }

  /** Name of the row's metric, without leading NUL bytes. */
  #metricName(record: CsvRecord, bytes: Uint8Array, start: number): string {
    const column = this.#columns?.metric ?? 0;
    if (column >= record.fields) return "";
    const contents = record.contents(bytes, start, column);
    return utf8.decode(contents.subarray(nulsIn(contents)));
  }

  #takeHeader(record: CsvRecord, bytes: Uint8Array, start: number): string | undefined {
    const names = Array.from({ length: record.fields }, (_, column) => {
      const contents = record.contents(bytes, start, column);
      return utf8.decode(contents.subarray(nulsIn(contents)));
    });
    const columns = columnsOf(names);
    if (columns === undefined) return `got ${quoted(names.join(","))}, want a ${HEADER}`;
    this.#columns = columns;
    this.#fast.forgetTags();
    const template = this.#labelTemplate;
    this.#template =
      template === undefined ? undefined : new LabelTemplate(template, [...columns.tags.keys()]);
    return undefined;
  }

  /** A row of a custom metric, unless it is the end of a torn row. */
  #takeUnknown(name: string): string | undefined {
    if (name === "" || (REQUEST_METRIC.endsWith(name) && this.#parts.has(STATUS))) {
      return `cannot read the metric name: got ${quoted(name)}, want one of k6`;
    }
    this.#fast.metrics.learn(name);
    return undefined;
  }
}

function nulsIn(bytes: Uint8Array): number {
  const other = bytes.findIndex((byte) => byte !== NUL);
  return other < 0 ? bytes.length : other;
}

function fields(count: number): string {
  return `${count} ${count === 1 ? "field" : "fields"}`;
}
