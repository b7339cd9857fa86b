import { COMMA, LINE_FEED, NUL } from "../bytes/ascii.ts";
import { K6_CSV } from "./about.ts";
import { BytesCache } from "../bytes/byte-table.ts";
import { ByteWindow } from "../bytes/byte-window.ts";
import { CsvReader, type CsvRecordHandler } from "../csv/csv-reader.ts";
import { CsvRecord } from "../csv/csv-record.ts";
import type { Format } from "../decoder.ts";
import { UserError } from "../../model/errors.ts";
import type { K6SampleTags } from "./k6-measures.ts";
import { K6Lines } from "./k6-lines.ts";
import { K6Parts, PART_OF_TAG, TIME, VALUE, detailsOf } from "./k6-tags.ts";
import { K6Decoder } from "./k6-decoder.ts";
import { K6Kernel, type K6LineForm } from "./k6-kernel.ts";
import { K6Samples } from "./k6-samples.ts";
import type { FurtherDetails } from "../../model/samples/request-sample.ts";
import { LabelTemplate } from "../labels/label-template.ts";
import { quoted } from "../quoted.ts";
import type { RowRepairs } from "../row-repairs.ts";

/** The CSV that `k6 run --out csv=FILE` writes: docs/internals/formats/k6.md. */
export const k6Csv: Format = {
  ...K6_CSV,
  recognises: isK6Csv,
  open(sink, options) {
    const kernel = K6Kernel.take(FORM);
    const window = new ByteWindow(kernel.window);
    const samples = new K6Samples(sink, options, { kernel });
    const records = new K6CsvRecords(samples, kernel, options.labelTemplate);
    const reader = new CsvReader(window, new CsvRecord(COMMA), records, sink);
    return new K6Decoder({ kernel, window, reader, samples, checkEnd: () => records.checkEnd() });
  },
};

const EXTRA_TAGS = "extra_tags";
/** Not tags, such as the ids of traces. */
const METADATA = "metadata";
/** In front of the comma behind the value. */
const COLUMNS_BEFORE_TAGS = 2;
const HEADER = "header line with metric_name, timestamp and metric_value";

const FORM: K6LineForm = {
  beforeMetric: "",
  beforeTime: ",",
  beforeValue: ",",
  allowsZeros: true,
};

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** Skips rows of other metrics by name; reads those of requests field by field, and teaches the kernel new tags. */
class K6CsvRecords implements CsvRecordHandler {
  readonly seesQuotes = true;
  readonly repairs: RowRepairs;
  readonly #samples: K6Samples;
  readonly #parts = new K6Parts();
  readonly #names = new BytesCache(nameIn);
  readonly #fast: K6Lines;
  /** `undefined` before the header. */
  #columns: K6CsvColumns | undefined;
  readonly #labelTemplate: string | undefined;
  #template: LabelTemplate | undefined;

  constructor(samples: K6Samples, kernel: K6Kernel, labelTemplate: string | undefined) {
    this.#labelTemplate = labelTemplate;
    this.#samples = samples;
    this.repairs = samples.repairs;
    this.#fast = new K6Lines(FORM, kernel, samples, {
      tags: (text) => tagsOf(...this.#behindValue(text)),
      details: (text) => detailsIn(...this.#behindValue(text)),
    });
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
      columns.parts.some(({ column }) => column === last) ||
      this.#template?.uses([...columns.tags.values()].indexOf(last)) === true;
    return isRead
      ? "the source ends inside a row: no line end follows, and its last field may be truncated"
      : undefined;
  }

  /** Throws `unreadable-source` without a header. */
  checkEnd(): void {
    if (this.#columns !== undefined) return;
    throw new UserError("unreadable-source", `cannot read this as k6 CSV: there is no ${HEADER}`);
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
    if (record.fields !== columns.count) {
      return `got ${fields(record.fields)}, want ${columns.count}`;
    }
    this.#putParts(record, bytes, start);
    const known = this.#fast.metrics.kindOf(name);
    const wrong = known === undefined ? this.#fast.learnMetric(name, this.#parts) : undefined;
    if (wrong !== undefined) return wrong;
    const contentsOf = (column: number) => record.contents(bytes, start, column);
    const sample = {
      kind: known ?? ("other" as const),
      metric: name,
      parts: this.#parts,
      label: () => this.#label(contentsOf),
      tags: () => tagsOf(columns, contentsOf),
      details: () => detailsIn(columns, contentsOf),
    };
    const reason = this.#fast.take(sample);
    // Whatever is quoted behind the value, such a line is a complete row.
    const end = start + record.length - 1;
    const isLine = record.lineFeeds === 1 && bytes[end] === LINE_FEED;
    if (isLine && reason === undefined)
      this.#fast.learn(sample, [start, end], this.#template === undefined);
    return reason;
  }

  #putParts(record: CsvRecord, bytes: Uint8Array, start: number): void {
    const { parts } = this.#columns as K6CsvColumns;
    this.#parts.beginIn(bytes);
    for (const { column, part } of parts) {
      if (record.isIrregular(column)) return this.#copyParts(record, bytes, start);
      this.#parts.place(part, start + record.from(column), start + record.to(column));
    }
  }

  #copyParts(record: CsvRecord, bytes: Uint8Array, start: number): void {
    this.#parts.begin();
    for (const { column, part } of (this.#columns as K6CsvColumns).parts) {
      this.#parts.put(part, record.contents(bytes, start, column));
    }
  }

  /** Name of the row's metric, without leading NUL bytes. */
  #metricName(record: CsvRecord, bytes: Uint8Array, start: number): string {
    const column = this.#columns?.metric ?? 0;
    if (column >= record.fields) return "";
    if (record.isIrregular(column)) return nameIn(record.contents(bytes, start, column));
    return this.#names.at(bytes, start + record.from(column), start + record.to(column));
  }

  #takeHeader(record: CsvRecord, bytes: Uint8Array, start: number): string | undefined {
    const names = Array.from({ length: record.fields }, (_, column) => {
      return nameIn(record.contents(bytes, start, column));
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

  /** The rest of a row: a comma, and all columns behind the value. */
  #behindValue(text: Buffer): readonly [K6CsvColumns, (column: number) => Uint8Array] {
    const record = new CsvRecord(COMMA);
    record.begin();
    record.scan(text, 0, text.length);
    record.finish(text, 0);
    return [
      this.#columns as K6CsvColumns,
      (column) => record.contents(text, 0, column - COLUMNS_BEFORE_TAGS),
    ];
  }
}

function detailsIn(
  columns: K6CsvColumns,
  contentsOf: (column: number) => Uint8Array,
): FurtherDetails {
  const column = columns.tags.get(METADATA);
  const metadata = column === undefined ? "" : utf8.decode(contentsOf(column));
  return detailsOf(tagsOf(columns, contentsOf), pairsIn(metadata));
}

/** Those of the script are in one column: `city=berlin&ring=2`. */
function tagsOf(columns: K6CsvColumns, contentsOf: (column: number) => Uint8Array): K6SampleTags {
  const tags: Record<string, string> = {};
  for (const [name, column] of columns.tags) {
    if (name === METADATA) continue;
    const text = utf8.decode(contentsOf(column));
    if (name === EXTRA_TAGS) Object.assign(tags, pairsIn(text));
    else tags[name] = text;
  }
  return tags;
}

function pairsIn(text: string): Record<string, string> {
  const pairs = text.split("&").map((pair) => [pair, pair.indexOf("=")] as const);
  return Object.fromEntries(
    pairs
      .filter(([, equals]) => equals > 0)
      .map(([pair, equals]) => [pair.slice(0, equals), pair.slice(equals + 1)]),
  );
}

function nameIn(contents: Uint8Array): string {
  return utf8.decode(contents.subarray(nulsIn(contents)));
}

function nulsIn(bytes: Uint8Array): number {
  const other = bytes.findIndex((byte) => byte !== NUL);
  return other < 0 ? bytes.length : other;
}

function fields(count: number): string {
  return `${count} ${count === 1 ? "field" : "fields"}`;
}

/** Columns depend on k6's version and `systemTags`. */
interface K6CsvColumns {
  readonly count: number;
  readonly metric: number;
  /** Whether metric, time and value are the first columns, in this order. */
  readonly isUsual: boolean;
  readonly parts: readonly { readonly column: number; readonly part: number }[];
  /** Tag name to column index: the fields of label templates. */
  readonly tags: ReadonlyMap<string, number>;
}

const METRIC_COLUMN = "metric_name";

const PART_OF_COLUMN: ReadonlyMap<string, number> = new Map([
  ["timestamp", TIME],
  ["metric_value", VALUE],
  ...PART_OF_TAG,
]);

/** Columns that every header has, in their usual order; they differ between the samples of one request. */
const NO_TAGS: readonly string[] = [METRIC_COLUMN, "timestamp", "metric_value"];

/** `undefined` if `names` is no k6 header. */
function columnsOf(names: readonly string[]): K6CsvColumns | undefined {
  if (!NO_TAGS.every((name) => names.includes(name))) return undefined;
  const isFirst = (name: string, column: number): boolean => names.indexOf(name) === column;
  return {
    count: names.length,
    metric: names.indexOf(METRIC_COLUMN),
    isUsual: NO_TAGS.every((name, column) => names[column] === name),
    parts: names.flatMap((name, column) => {
      const part = isFirst(name, column) ? PART_OF_COLUMN.get(name) : undefined;
      return part === undefined ? [] : [{ column, part }];
    }),
    tags: new Map(
      names
        .map((name, column) => [name, column] as const)
        .filter(([name, column]) => isFirst(name, column) && !NO_TAGS.includes(name)),
    ),
  };
}

/** k6 mixes rows with console text on `-`: any line may match. */
export function isK6Csv(head: Uint8Array): boolean {
  const text = new TextDecoder().decode(head);
  if (!text.includes(METRIC_COLUMN)) return false;
  return text
    .split("\n")
    .some((line) => columnsOf(line.trimEnd().replaceAll('"', "").split(",")) !== undefined);
}
