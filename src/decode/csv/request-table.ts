import type { FormatAbout } from "../format-about.ts";
import { ALL_REQUESTS, LabelTemplate } from "../labels/label-template.ts";
import { CsvTable, type TableReader, type TableColumns } from "./csv-table.ts";
import type { DecodeOptions, Format, SampleSink } from "../decoder.ts";
import { NO_FACETS } from "../labels/faceted-labels.ts";
import type { LabelTable } from "../labels/label-table.ts";
import { type Request, RequestRows } from "../requests/request-rows.ts";
import { readScaled } from "../bytes/exact-number.ts";
import { type FurtherDetails, SAMPLE_NUMBERS } from "../../model/samples/request-sample.ts";
import type { TableRow } from "./table-row.ts";

export interface RequestTable extends FormatAbout {
  recognises(head: Uint8Array): boolean;
  /** Whether the tool ends every line, so that a last row without line end is truncated. */
  readonly endsEveryLine?: boolean;
  /** Patterns of a complete last field by column, for a last row without line end; other columns are not read. */
  readonly wholeLastFields?: Readonly<Record<string, RegExp>>;
  /** Columns of free text, and that of the outcome (the first of these that exists). @default rows with other fields are rejected */
  readonly ragged?: { readonly texts: readonly string[]; readonly outcome: readonly string[] };
  /** As in `Table`. */
  delimiterOf?(firstLine: string): number;
  /** Throws `unreadable-source` if a required column is missing. */
  open(columns: TableColumns, options: DecodeOptions, sink: SampleSink): RequestTableRows;
}

/** Columns by the name of the detail. `decimals` is the scale of times: 3 for milliseconds, the default, and 6 for seconds. */
interface DetailColumns {
  readonly columns: { readonly [Name in keyof FurtherDetails]?: number | undefined };
  readonly decimals?: number;
}

interface RequestTableRows {
  /** Column of the label. @default all requests share one */
  readonly label?: number | undefined;
  /** Columns that are facets by themselves, by name. @default none */
  readonly facets?: Readonly<Record<string, number>> | undefined;
  /** Index of a row's label, if it is not a column as written. */
  labelIn?(row: TableRow, labels: LabelTable): number;
  /** Load generators so far, if users are recorded. */
  readonly generators?: readonly string[];
  /** Reads a row with the right number of fields; faults become its complaint. */
  read(row: TableRow, request: Request): void;
  /** Columns of what else is known of a request that may be kept whole. @default none */
  readonly details?: DetailColumns | undefined;
  /** Columns whose numbers become measures. @default none */
  readonly measured?: readonly number[];
  /** Called after each recorded row. */
  recorded?(row: TableRow, request: Request): void;
  /** @default none */
  notes?(): readonly string[];
}

/** Labels that may have a part of the number in front of them, or behind. */
const NUMBER_IN_LABEL = /^\d+$|^\d+[,;\t|]|[,;\t|]\d+$/;

export function requestTableFormat(table: RequestTable): Format {
  return {
    ...table,
    open(sink, options) {
      const { labels, facets } = options;
      const requests = new RequestRows(sink, { labels, facets });
      const open = (columns: TableColumns) => {
        const rows = table.open(columns, options, sink);
        return new RequestTableReader({ table, columns, rows, requests }, options);
      };
      return new CsvTable({ ...table, rows: requests, open }, sink);
    },
  };
}

interface RequestTableParts {
  readonly table: RequestTable;
  readonly columns: TableColumns;
  readonly rows: RequestTableRows;
  readonly requests: RequestRows;
}

class RequestTableReader implements TableReader {
  /** Absent if the tool ends every line. */
  readonly check: ((row: TableRow) => string | undefined) | undefined;
  readonly ragged: TableReader["ragged"];
  readonly #parts: RequestTableParts;
  readonly #template: LabelTemplate | undefined;
  #row: TableRow | undefined;
  /** Columns of facets. */
  readonly #facets: readonly (readonly [name: string, column: number])[];

  constructor(parts: RequestTableParts, { labelTemplate }: DecodeOptions) {
    const { table, columns } = parts;
    this.#parts = parts;
    const { details } = parts.rows;
    if (details !== undefined) parts.requests.details = () => detailsIn(this.#row, details);
    if (labelTemplate !== undefined) {
      this.#template = new LabelTemplate(labelTemplate, columns.names);
    }
    this.#facets = parts.requests.facets
      .namesOf(Object.keys(parts.rows.facets ?? {}))
      .flatMap((name) => {
        const column = parts.rows.facets?.[name] ?? columns.find(name);
        return column === undefined ? [] : [[name, column] as const];
      });
    this.check = table.endsEveryLine === true ? undefined : (row) => this.#checkOpen(row);
    this.ragged = table.ragged && {
      texts: table.ragged.texts.flatMap((name) => columns.find(name) ?? []),
      outcome: table.ragged.outcome
        .map((name) => columns.find(name))
        .find((at) => at !== undefined),
      fit: (row) => this.#fit(row),
    };
  }

  get generators(): readonly string[] | undefined {
    return this.#parts.rows.generators;
  }

  read(row: TableRow, areTimesKnown = true): string | undefined {
    const { columns, rows, requests } = this.#parts;
    this.#row = row;
    const unread = this.#readRequest(row);
    if (!areTimesKnown) requests.untimeStartToo("an extra delimiter may have cut a number");
    // The label comes last, so that an unreadable row adds none.
    const reason = unread ?? requests.record(this.#label(row), this.#facetsOf(row));
    if (reason !== undefined) return reason;
    rows.recorded?.(row, requests.request);
    for (const column of areTimesKnown ? (rows.measured ?? []) : []) {
      requests.addColumn(columns.names[column] ?? "", row.contents(column));
    }
    return undefined;
  }

  end(): readonly string[] {
    const { rows, requests } = this.#parts;
    return [...(rows.notes?.() ?? []), ...requests.notes()];
  }

  /** Returns why a last row without line end may be incomplete. */
  #checkOpen(row: TableRow): string | undefined {
    const reason = this.#readRequest(row);
    if (reason !== undefined) return reason;
    const { table, columns } = this.#parts;
    const last = columns.names.length - 1;
    const form = table.wholeLastFields?.[columns.names[last] ?? ""];
    const isWhole =
      form === undefined
        ? this.#template?.uses(last) !== true && !this.#isMeasured(row, last)
        : form.test(row.text(last));
    return isWhole ? undefined : "no line end follows, and its last field may be truncated";
  }

  #isMeasured(row: TableRow, column: number): boolean {
    const isNumber = !Number.isNaN(Number(row.text(column))) && row.has(column);
    return isNumber && this.#parts.rows.measured?.includes(column) === true;
  }

  #fit(row: TableRow): ReturnType<NonNullable<TableReader["ragged"]>["fit"]> {
    if (this.#readRequest(row) !== undefined) return undefined;
    const { rows, requests } = this.#parts;
    const { hasFailed, elapsedMicros } = requests.request;
    const isCut = rows.label !== undefined && NUMBER_IN_LABEL.test(row.text(rows.label));
    return { hasFailed, elapsedMicros, isWhole: requests.repairs.isEmpty && !isCut };
  }

  /** Reads without recording. Returns why it cannot be read. */
  #readRequest(row: TableRow): string | undefined {
    const { rows, requests } = this.#parts;
    rows.read(row, requests.begin());
    return row.complaint;
  }

  #facetsOf(row: TableRow): number {
    if (this.#facets.length === 0) return NO_FACETS;
    const { facets } = this.#parts.requests;
    return facets.setOf(this.#facets.map(([name, column]) => [name, row.text(column)]));
  }

  #label(row: TableRow): number {
    const { rows, requests } = this.#parts;
    const { labels } = requests;
    if (this.#template !== undefined) {
      return this.#template.indexIn(labels, (column) => row.contents(column));
    }
    if (rows.labelIn !== undefined) return rows.labelIn(row, labels);
    if (rows.label === undefined) return labels.indexOfText(ALL_REQUESTS);
    const contents = row.contents(rows.label);
    return labels.indexOf(contents, 0, contents.length);
  }
}

function detailsIn(row: TableRow | undefined, { columns, decimals = 3 }: DetailColumns) {
  const found = Object.entries(columns).flatMap(([name, column]) => {
    if (row?.has(column) !== true) return [];
    const isNumber = (SAMPLE_NUMBERS as readonly string[]).includes(name);
    if (!isNumber) return [[name, row.text(column)]];
    const contents = row.contents(column);
    const scale = name.endsWith("Micros") ? decimals : 0;
    return [[name, readScaled(contents, 0, contents.length, scale)]];
  });
  return Object.fromEntries(found) as FurtherDetails;
}
