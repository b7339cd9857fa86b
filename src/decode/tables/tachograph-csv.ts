import type { DecodeOptions, Format, SampleSink } from "../decoder.ts";
import { headText } from "../quoted.ts";
import { requestTableFormat, type RequestTableRows } from "../csv/request-table.ts";
import type { Request } from "../csv/request-rows.ts";
import type { TableColumns } from "../csv/csv-table.ts";
import type { TableRow } from "../csv/table-row.ts";
import {
  ELAPSED_FIELDS,
  TACHOGRAPH_FIELDS,
  type TachographField,
  TachographRequests,
} from "./tachograph-requests.ts";

const TRUTH = /^(?:true|false)$/i;
/** A truncated number or text looks complete. */
const NEVER = /(?!)/;

/** The project's own table: docs/own-format.md. */
export const tachographCsv: Format = requestTableFormat({
  name: "tachograph-csv",
  recognises: (head) => isHeader(headText(head).split(/\r?\n/, 1)[0] ?? ""),
  wholeLastFields: Object.fromEntries(
    TACHOGRAPH_FIELDS.map((field) => [field, field === "success" ? TRUTH : NEVER]),
  ),
  delimiterOf: (firstLine) => delimiterIn(firstLine).charCodeAt(0),
  open: (columns, options, sink) => new TachographRows(columns, options, sink),
});

const ELAPSED = Object.keys(ELAPSED_FIELDS);

/** Two of our column names, one of them an elapsed time: no other tool has both. */
function isHeader(firstLine: string): boolean {
  const names = firstLine.split(delimiterIn(firstLine)).map((name) => name.replaceAll('"', ""));
  const hasElapsed = names.some((name) => ELAPSED.includes(name));
  return hasElapsed && (names.includes("timestamp") || names.includes("label"));
}

/** The byte after the first word; @default a comma */
function delimiterIn(firstLine: string): string {
  return /^"?\w+"?([,;\t|])/.exec(firstLine)?.[1] ?? ",";
}

class TachographRows implements RequestTableRows {
  readonly label: number | undefined;
  readonly generators: readonly string[];
  readonly #columns: ReadonlyMap<TachographField, number>;
  readonly #requests: TachographRequests;

  constructor(columns: TableColumns, options: DecodeOptions, sink: SampleSink) {
    columns.require("timestamp");
    columns.require(...ELAPSED);
    this.label = options.labelTemplate === undefined ? columns.require("label") : undefined;
    this.#columns = new Map(
      TACHOGRAPH_FIELDS.flatMap((field) => {
        const column = columns.find(field);
        return column === undefined ? [] : [[field, column] as const];
      }),
    );
    this.#requests = new TachographRequests(options, sink);
    this.generators = this.#requests.generators;
  }

  read(row: TableRow, request: Request): void {
    row.complaint = this.#requests.read(request, (field) => {
      const column = this.#columns.get(field);
      return column === undefined ? undefined : row.contents(column);
    });
  }

  recorded(_row: TableRow, request: Request): void {
    this.#requests.recorded(request);
  }

  notes(): readonly string[] {
    return this.#requests.notes();
  }
}
