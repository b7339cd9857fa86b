import type { Format } from "../decoder.ts";
import { headText } from "../quoted.ts";
import { requestTableFormat } from "../csv/request-table.ts";
import { ELAPSED_FIELDS, TACHOGRAPH_FIELDS, TachographRequests } from "./tachograph-requests.ts";

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
  open(columns, options, sink) {
    columns.require("timestamp");
    columns.require(...ELAPSED);
    const label = options.labelTemplate === undefined ? columns.require("label") : undefined;
    const columnOf = new Map(TACHOGRAPH_FIELDS.map((field) => [field, columns.find(field)]));
    const requests = new TachographRequests(options, sink);
    return {
      label,
      generators: requests.generators,
      read(row, request) {
        row.complaint = requests.read(request, (field) => {
          const column = columnOf.get(field);
          return column === undefined ? undefined : row.contents(column);
        });
      },
      recorded: (_row, request) => requests.recorded(request),
      notes: () => requests.notes(),
    };
  },
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
