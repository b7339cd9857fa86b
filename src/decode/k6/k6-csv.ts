import type { FailureKind } from "../../model/failures.ts";
import { ByteWindow } from "../bytes/byte-window.ts";
import { CsvReader, type CsvRecordHandler } from "../csv/csv-reader.ts";
import { CsvRecord } from "../csv/csv-record.ts";
import type { DecodeEnd, DecodeOptions, Decoder, Format, SampleSink } from "../decoder.ts";
import { isK6Csv, columnsOf, type K6CsvColumns, METRIC_COLUMN } from "./k6-csv-columns.ts";
import { UserError } from "../../model/errors.ts";
import { type MetricKind, REQUEST_METRIC } from "./k6-metrics.ts";
import { K6Parts, STATUS } from "./k6-parts.ts";
import { K6Kernel, type K6LineForm } from "./k6-kernel.ts";
import { K6Lines } from "./k6-lines.ts";
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
const LINE_FEED = 0x0a;
const NUL = 0;
/** Larger slices leave the processor's cache before they are read. */
const SLICE_BYTES = 256 * 1024;
const HEADER = "header line with metric_name, timestamp and metric_value";

const FORM: K6LineForm = {
  beforeMetric: "",
  beforeTime: ",",
  beforeValue: ",",
  allowsZeros: true,
};

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

class K6CsvDecoder implements Decoder {
  readonly labels: readonly string[];
  readonly failureKinds: readonly FailureKind[];
  readonly generators: readonly string[];
  readonly #kernel = K6Kernel.take(FORM);
  readonly #window = new ByteWindow(this.#kernel.window);
  readonly #records: K6CsvRecords;
  readonly #reader: CsvReader;

  constructor(sink: SampleSink, options: DecodeOptions) {
    this.#records = new K6CsvRecords(sink, options, this.#kernel);
    this.labels = this.#records.labels;
    this.failureKinds = this.#records.failureKinds;
    this.generators = this.#records.generators;
    this.#reader = new CsvReader(this.#window, new CsvRecord(COMMA), this.#records, sink);
  }

  push(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length; at += SLICE_BYTES) {
      this.#window.append(chunk.subarray(at, at + SLICE_BYTES));
      this.#reader.read();
    }
  }

  forgetLabels(): void {
    this.#records.forgetLabels();
  }

  flush(): void {
    this.#records.flush();
  }

  end(): DecodeEnd {
    const truncatedAt = this.#reader.end();
    const notes = this.#records.end();
    this.#kernel.giveBack();
    return { truncatedAt, notes };
  }
}

/** Skips rows of other metrics by name; reads those of requests field by field, and teaches the kernel what is new. */
class K6CsvRecords implements CsvRecordHandler {
  readonly seesQuotes = true;
  readonly labels: readonly string[];
  readonly failureKinds: readonly FailureKind[];
  readonly generators: readonly string[];
  readonly #samples: K6Samples;
  readonly #parts = new K6Parts();
  readonly #fast: K6Lines;
  /** `undefined` before the header. */
  #columns: K6CsvColumns | undefined;
  readonly #labelTemplate: string | undefined;
  #template: LabelTemplate | undefined;

  constructor(sink: SampleSink, { labelTemplate, labels }: DecodeOptions, kernel: K6Kernel) {
    this.#labelTemplate = labelTemplate;
    this.#samples = new K6Samples(sink, labels, { batch: kernel.batch });
    this.#fast = new K6Lines(FORM, kernel, this.#samples);
    this.labels = this.#samples.labels.texts;
    this.failureKinds = this.#samples.failureKinds;
    this.generators = this.#samples.generators;
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

  #takeSample(kind: MetricKind, label: () => number): string | undefined {
    const parts = this.#parts;
    if (kind === "request") {
      return this.#samples.read(parts) ?? this.#samples.record(parts, label());
    }
    if (kind === "users") this.#samples.recordUsers(parts);
    else if (this.#samples.isWaiting) this.#samples.recordOutcome(parts, label());
    return undefined;
  }

  #label(contentsOf: (column: number) => Uint8Array): number {
    if (this.#template !== undefined) {
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
    if (record.fields !== columns.count) {
      if (isSkipped && !this.#fast.mentionsRequest(start, start + record.length)) return undefined;
      return `got ${fields(record.fields)}, want ${columns.count}`;
    }
    this.#putParts(record, bytes, start);
    if (kind === undefined) return this.#takeUnknown(name);
    const label = () => this.#label((column) => record.contents(bytes, start, column));
    const reason = isSkipped ? undefined : this.#takeSample(kind, label);
    // Whatever is quoted behind the value, such a line is the whole row.
    const end = start + record.length - 1;
    const isLine = record.lineFeeds === 1 && bytes[end] === LINE_FEED;
    if (isLine && reason === undefined) this.#fast.learn(kind, [start, end], this.#parts, label);
    return reason;
  }

  #putParts(record: CsvRecord, bytes: Uint8Array, start: number): void {
    this.#parts.begin();
    for (const [column, part] of (this.#columns as K6CsvColumns).parts.entries()) {
      if (part !== undefined) this.#parts.put(part, record.contents(bytes, start, column));
    }
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
    this.#fast.learnMetric(name);
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
