import { UserError } from "../model/errors.ts";
import { ALL_REQUESTS } from "./all-requests.ts";
import type { CsvRecordTaker } from "./csv-reader.ts";
import type { CsvRecord } from "./csv-record.ts";
import type { DecodeOptions, SampleSink } from "./decoder.ts";
import { LabelTemplate } from "./label-template.ts";
import { RequestRows } from "./request-rows.ts";
import type { RequestTable, RequestTableRows } from "./request-table.ts";
import { TableColumns } from "./table-columns.ts";
import { TableRow } from "./table-row.ts";

/** What holds for the rows below one header. */
interface Section {
  readonly columns: TableColumns;
  readonly reader: RequestTableRows;
  readonly template: LabelTemplate | undefined;
}

const CUT_LINE = "the source ends inside a line";

/** Takes the records of a table: headers, and the requests below them. */
export class RequestTableRecords implements CsvRecordTaker {
  readonly plainRecords = 0;
  readonly rows: RequestRows;
  readonly #table: RequestTable;
  readonly #options: DecodeOptions;
  readonly #sink: SampleSink;
  #row: TableRow | undefined;
  /** `undefined` until the header was read. */
  #section: Section | undefined;
  readonly #notes = new Set<string>();
  #headersSkipped = 0;

  constructor(table: RequestTable, options: DecodeOptions, sink: SampleSink) {
    this.#table = table;
    this.#options = options;
    this.#sink = sink;
    this.rows = new RequestRows(sink);
  }

  get generators(): readonly string[] {
    return this.#section?.reader.generators ?? [];
  }

  /** Records will be found by `record`. */
  begin(record: CsvRecord): void {
    this.#row = new TableRow(record);
  }

  takePlain(_bytes: Uint8Array, from: number): number {
    return from;
  }

  take(record: CsvRecord, bytes: Uint8Array, start: number): string | undefined {
    if (this.#section === undefined) {
      this.#rowOf().begin([], bytes, start);
      this.#open(this.#rowOf().texts());
      return undefined;
    }
    const reason = this.#takeRow(this.#section, record, bytes, start);
    if (reason === undefined || !this.#isHeader(record, bytes, start)) return reason;
    this.#headersSkipped += 1;
    return undefined;
  }

  cutReason(record: CsvRecord, bytes: Uint8Array, start: number): string | undefined {
    if (this.#section === undefined) return undefined;
    if (this.#table.endsEveryLine === true) return CUT_LINE;
    const reason = this.#read(this.#section, record, bytes, start);
    if (reason !== undefined) return `the source ends inside a row: ${reason}`;
    this.#notes.add("the last row has no line end: its last field may have been cut short");
    return undefined;
  }

  /** Hands over what is left. What a reader of the numbers should know. */
  end(): readonly string[] {
    this.rows.flush();
    if (this.#section === undefined) {
      const { name } = this.#table;
      throw new UserError(
        "unreadable-source",
        `cannot read this as ${name}: it has no header line`,
      );
    }
    for (const note of this.#section.reader.notes()) this.#notes.add(note);
    if (this.#headersSkipped > 0) {
      this.#notes.add(`header lines among the rows, used and not counted: ${this.#headersSkipped}`);
    }
    return [...this.#notes, ...this.rows.notes()];
  }

  #open(names: readonly string[]): void {
    const columns = new TableColumns(names, this.#table.name);
    const { labelTemplate } = this.#options;
    this.#section = {
      columns,
      reader: this.#table.open(columns, this.#options, this.#sink),
      template: labelTemplate === undefined ? undefined : new LabelTemplate(labelTemplate, names),
    };
  }

  #takeRow(
    section: Section,
    record: CsvRecord,
    bytes: Uint8Array,
    start: number,
  ): string | undefined {
    // The label comes last, so that a row that cannot be read leaves none behind.
    const reason =
      this.#read(section, record, bytes, start) ?? this.rows.record(this.#label(section));
    if (reason === undefined) section.reader.recorded?.(this.#rowOf(), this.rows.request);
    return reason;
  }

  /** Reads a row and records nothing. Returns why it cannot be read. */
  #read(
    { columns, reader }: Section,
    record: CsvRecord,
    bytes: Uint8Array,
    start: number,
  ): string | undefined {
    if (record.fields !== columns.names.length) {
      return fieldCounts(record, columns.names.length);
    }
    const row = this.#rowOf();
    row.begin(columns.names, bytes, start);
    reader.read(row, this.rows.begin());
    return row.complaint;
  }

  #label({ reader, template }: Section): number {
    const { labels } = this.rows;
    const { label } = reader;
    const row = this.#rowOf();
    if (template !== undefined) return template.indexIn(labels, (column) => row.contents(column));
    if (reader.labelIn !== undefined) return reader.labelIn(row, labels);
    if (label === undefined) return labels.indexOfText(ALL_REQUESTS);
    const contents = row.contents(label);
    return labels.indexOf(contents, 0, contents.length);
  }

  #rowOf(): TableRow {
    if (this.#row === undefined) throw new Error("BUG: a record before the record is known");
    return this.#row;
  }

  /** Whether a record that is no row is the header once more: two files in one. */
  #isHeader(record: CsvRecord, bytes: Uint8Array, start: number): boolean {
    const names = this.#section?.columns.names ?? [];
    if (record.fields !== names.length) return false;
    const row = this.#rowOf();
    row.begin(names, bytes, start);
    return row.texts().every((field, at) => field === names[at]);
  }
}

/** What is wrong with a record that has not as many fields as there are columns. */
export function fieldCounts({ fields, lineFeeds }: CsvRecord, wanted: number): string {
  const where = lineFeeds > 1 ? ` in ${lineFeeds} lines` : "";
  return `got ${fields} ${fields === 1 ? "field" : "fields"}${where}, want ${wanted}`;
}
