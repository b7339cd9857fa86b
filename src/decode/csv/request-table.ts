import type { FailureKind } from "../../model/failures.ts";
import { ALL_REQUESTS, LabelTemplate } from "../labels/label-template.ts";
import { CsvTable, type TableReader, type TableColumns } from "./csv-table.ts";
import type { DecodeOptions, Format, SampleSink } from "../decoder.ts";
import type { LabelTable } from "../labels/label-table.ts";
import { type Request, RequestRows } from "./request-rows.ts";
import type { TableRow } from "./table-row.ts";

/** One kind of table in which every row is a request and the first line names the columns. */
export interface RequestTable {
  /** Name of the format. */
  readonly name: string;
  recognises(head: Uint8Array): boolean;
  /** As for the format. */
  readonly needsStart?: true;
  /**
   * Whether the tool ends every line, so that a last row without a line end is cut: nothing tells
   * whether its last field is all there.
   */
  readonly endsEveryLine?: boolean;
  /**
   * What the last field of a last row without a line end looks like when it is certainly whole, by
   * the name of its column. A column that is not named here is not read.
   */
  readonly wholeLastFields?: Readonly<Record<string, RegExp>>;
  /** The byte between two fields; `firstLine` is the header. */
  delimiterOf(firstLine: string): number;
  /**
   * Begins to read rows with the columns of a header. Throws `unreadable-source` where one is
   * missing that cannot be done without.
   */
  open(columns: TableColumns, options: DecodeOptions, sink: SampleSink): RequestTableRows;
}

export interface RequestTableRows {
  /** The column of the label; `undefined` where there is none, and all requests have one label. */
  readonly label: number | undefined;
  /** The index of a row's label, where it is no column as it stands. */
  labelIn?(row: TableRow, labels: LabelTable): number;
  /** Names of load generators found so far, where the table tells users. */
  readonly generators?: readonly string[];
  /** Reads a row that has as many fields as there are columns; what is wrong is a complaint of it. */
  read(row: TableRow, request: Request): void;
  /** Called for each row that was recorded, after it. */
  recorded?(row: TableRow, request: Request): void;
  /** What a reader of the numbers should know, once all rows are read. */
  notes(): readonly string[];
}

/** The format of such tables. */
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

/** What holds for the rows below the header. */
interface Section {
  readonly names: readonly string[];
  readonly rows: RequestTableRows;
  readonly template: LabelTemplate | undefined;
}

class RequestTableReader implements TableReader {
  readonly labels: readonly string[];
  readonly failureKinds: readonly FailureKind[];
  /** Left out where the tool ends every line. */
  readonly check: ((row: TableRow) => string | undefined) | undefined;
  readonly #table: RequestTable;
  readonly #options: DecodeOptions;
  readonly #sink: SampleSink;
  readonly #requests: RequestRows;
  /** `undefined` until the header was read. */
  #section: Section | undefined;

  constructor(table: RequestTable, options: DecodeOptions, sink: SampleSink) {
    this.#table = table;
    this.#options = options;
    this.#sink = sink;
    this.#requests = new RequestRows(sink, options.labels);
    this.labels = this.#requests.labels.texts;
    this.failureKinds = this.#requests.failureKinds;
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
    // The label comes last, so that a row that cannot be read leaves none behind.
    const reason = this.#readRequest(row) ?? this.#requests.record(this.#label(row));
    if (reason === undefined) this.#begun.rows.recorded?.(row, this.#requests.request);
    return reason;
  }

  flush(): void {
    this.#requests.flush();
  }

  end(): readonly string[] {
    this.#requests.flush();
    return [...this.#begun.rows.notes(), ...this.#requests.notes()];
  }

  /** Returns why the last row, which has no line end, cannot be read or may not be all there. */
  #checkOpen(row: TableRow): string | undefined {
    const reason = this.#readRequest(row);
    if (reason !== undefined) return reason;
    const { names, template } = this.#begun;
    const last = names.length - 1;
    const form = this.#table.wholeLastFields?.[names[last] ?? ""];
    const isWhole = form === undefined ? template?.uses(last) !== true : form.test(row.text(last));
    return isWhole ? undefined : "no line end follows, and its last field may have been cut short";
  }

  /** Reads a row and records nothing. Returns why it cannot be read. */
  #readRequest(row: TableRow): string | undefined {
    this.#begun.rows.read(row, this.#requests.begin());
    return row.complaint;
  }

  #label(row: TableRow): number {
    const { labels } = this.#requests;
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
