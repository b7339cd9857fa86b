import { ALL_REQUESTS, LabelTemplate } from "../labels/label-template.ts";
import { CsvTable, type TableReader, type TableColumns } from "./csv-table.ts";
import type { DecodeOptions, Format, SampleSink } from "../decoder.ts";
import type { LabelTable } from "../labels/label-table.ts";
import { type Request, RequestRows } from "./request-rows.ts";
import type { TableRow } from "./table-row.ts";

/** A table with a header and a request per row. */
export interface RequestTable {
  readonly name: string;
  recognises(head: Uint8Array): boolean;
  /** As in `Format`. */
  readonly needsStart?: true;
  /** Whether the tool ends every line, so that a last row without line end is truncated. */
  readonly endsEveryLine?: boolean;
  /** Patterns of a complete last field by column, for a last row without line end; other columns are not read. */
  readonly wholeLastFields?: Readonly<Record<string, RegExp>>;
  /** Delimiter of a header line. @default a comma */
  delimiterOf?(firstLine: string): number;
  /** Throws `unreadable-source` if a required column is missing. */
  open(columns: TableColumns, options: DecodeOptions, sink: SampleSink): RequestTableRows;
}

interface RequestTableRows {
  /** Column of the label. @default all requests share one */
  readonly label?: number | undefined;
  /** Index of a row's label, if it is not a column as written. */
  labelIn?(row: TableRow, labels: LabelTable): number;
  /** Load generators so far, if users are recorded. */
  readonly generators?: readonly string[];
  /** Reads a row with the right number of fields; faults become its complaint. */
  read(row: TableRow, request: Request): void;
  /** Called after each recorded row. */
  recorded?(row: TableRow, request: Request): void;
  /** @default none */
  notes?(): readonly string[];
}

export function requestTableFormat(table: RequestTable): Format {
  return {
    name: table.name,
    labelFields: "columns",
    ...(table.needsStart === undefined ? {} : { needsStart: table.needsStart }),
    recognises: (head) => table.recognises(head),
    open: (sink, options) =>
      new CsvTable(new RequestTableReader(table, options, sink), sink, table),
  };
}

/** State of the rows below a header. */
interface Section {
  readonly names: readonly string[];
  readonly rows: RequestTableRows;
  readonly template: LabelTemplate | undefined;
}

class RequestTableReader implements TableReader {
  readonly rows: RequestRows;
  /** Absent if the tool ends every line. */
  readonly check: ((row: TableRow) => string | undefined) | undefined;
  readonly #table: RequestTable;
  readonly #options: DecodeOptions;
  readonly #sink: SampleSink;
  /** `undefined` before the header. */
  #section: Section | undefined;

  constructor(table: RequestTable, options: DecodeOptions, sink: SampleSink) {
    this.#table = table;
    this.#options = options;
    this.#sink = sink;
    this.rows = new RequestRows(sink, { labels: options.labels });
    this.check = table.endsEveryLine === true ? undefined : (row) => this.#checkOpen(row);
  }

  get generators(): readonly string[] {
    return this.#section?.rows.generators ?? [];
  }

  begin(columns: TableColumns): void {
    const { labelTemplate } = this.#options;
    this.#section = {
      names: columns.names,
      rows: this.#table.open(columns, this.#options, this.#sink),
      template:
        labelTemplate === undefined ? undefined : new LabelTemplate(labelTemplate, columns.names),
    };
  }

  read(row: TableRow): string | undefined {
    // The label comes last, so that an unreadable row adds none.
    const reason = this.#readRequest(row) ?? this.rows.record(this.#label(row));
    if (reason === undefined) this.#begun.rows.recorded?.(row, this.rows.request);
    return reason;
  }

  end(): readonly string[] {
    return [...(this.#begun.rows.notes?.() ?? []), ...this.rows.notes()];
  }

  /** Returns why a last row without line end may be incomplete. */
  #checkOpen(row: TableRow): string | undefined {
    const reason = this.#readRequest(row);
    if (reason !== undefined) return reason;
    const { names, template } = this.#begun;
    const last = names.length - 1;
    const form = this.#table.wholeLastFields?.[names[last] ?? ""];
    const isWhole = form === undefined ? template?.uses(last) !== true : form.test(row.text(last));
    return isWhole ? undefined : "no line end follows, and its last field may be truncated";
  }

  /** Reads without recording. Returns why it cannot be read. */
  #readRequest(row: TableRow): string | undefined {
    this.#begun.rows.read(row, this.rows.begin());
    return row.complaint;
  }

  #label(row: TableRow): number {
    const { labels } = this.rows;
    const { rows, template } = this.#begun;
    if (template !== undefined) return template.indexIn(labels, (column) => row.contents(column));
    if (rows.labelIn !== undefined) return rows.labelIn(row, labels);
    if (rows.label === undefined) return labels.indexOfText(ALL_REQUESTS);
    const contents = row.contents(rows.label);
    return labels.indexOf(contents, 0, contents.length);
  }

  get #begun(): Section {
    if (this.#section === undefined) throw new Error("BUG: a row before the header");
    return this.#section;
  }
}
