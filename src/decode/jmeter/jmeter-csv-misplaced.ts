import type { CsvRecord } from "../csv/csv-record.ts";
import { type JmeterColumns, onlyUpTo } from "./jmeter-csv-columns.ts";

/** The fields of a damaged row that can be found. */
export interface FoundFields {
  /** The columns up to `success`, at their places in the row. */
  readonly columns: JmeterColumns;
  /** Index after the last field of the label, which may hold delimiters. */
  readonly labelEnd: number;
  /** Whether the numbers in front of the label are at their places: with a delimiter too many, it begins with a part of one. */
  readonly areTimesKnown: boolean;
  /** Place of a column of the header; `undefined` if it is not known. */
  readonly placeOf: (column: number) => number | undefined;
}

const OUTCOME = /^(?:true|false)$/i;
const CODE = /^(?:\d{3}|Non HTTP response code: .*)?$/s;
/** Two rows in one line: the first was not written to its end. */
const ANOTHER_ROW = /(?:\d{13}|\d\d[/.-]\d\d[ T]\d\d:\d\d:\d\d(?:[.,:]\d{3})?)$/;
const WHOLE = /^\d+$/;
const latin1 = new TextDecoder("latin1");

/**
 * Finds the fields of a row with too many or too few of them: JMeter's first columns up to `success` precede what tools damage,
 * the messages. Returns `undefined` if the outcome is not unambiguous.
 */
export function findFields(
  columns: JmeterColumns,
  record: CsvRecord,
  bytes: Uint8Array,
  start: number,
): FoundFields | undefined {
  const textAt = (field: number) => latin1.decode(record.contents(bytes, start, field));
  const success = successAt(columns, record, textAt);
  if (success === undefined || columns.success === undefined) return undefined;
  const shift = success - columns.success;
  const { label, responseCode } = columns;
  const next = label + 1;
  // What follows the label shows where it ends.
  const candidates = Array.from({ length: shift + 1 }, (_, more) => next + more);
  const code =
    shift > 0 && responseCode === next
      ? candidates.find((field) => CODE.test(textAt(field)))
      : undefined;
  const labelEnd = code ?? (columns.success === next ? success : next);
  const placeOf = (column: number): number | undefined => {
    if (shift === 0) return column <= success ? column : undefined;
    if (column < next) return column;
    if (column === responseCode) return code;
    // The code is followed by the message, which may hold delimiters; the columns before `success` by it.
    if (column === columns.responseMessage && code !== undefined) return code + 1;
    return column <= (columns.success ?? 0) && column > next + 1 ? column + shift : undefined;
  };
  const found = onlyUpTo(columns, record.fields, placeOf);
  const areTimesKnown = shift === 0 || !WHOLE.test(textAt(label));
  return { columns: found, labelEnd, areTimesKnown, placeOf };
}

/** The field with the outcome, if all that may be it agree. */
function successAt(
  { success, fields, timeStamp = 0, elapsed, label }: JmeterColumns,
  record: CsvRecord,
  textAt: (field: number) => string,
): number | undefined {
  if (success === undefined || Math.max(timeStamp, elapsed) > label || label > success) {
    return undefined;
  }
  const last = Math.min(success + Math.max(0, record.fields - fields), record.fields - 1);
  const candidates: number[] = [];
  for (let field = success; field <= last; field++) {
    if (OUTCOME.test(textAt(field))) candidates.push(field);
  }
  const [first] = candidates;
  if (first === undefined) return undefined;
  const outcomes = new Set(candidates.map((field) => textAt(field).toLowerCase()));
  return outcomes.size === 1 && !holdsAnotherRow(record, first, textAt) ? first : undefined;
}

function holdsAnotherRow(
  record: CsvRecord,
  from: number,
  textAt: (field: number) => string,
): boolean {
  for (let field = from + 1; field + 1 < record.fields; field++) {
    if (WHOLE.test(textAt(field + 1)) && ANOTHER_ROW.test(textAt(field))) return true;
  }
  return false;
}

/** Whether a line begins like a row: with a time, if there is one, and a number of milliseconds. */
export function beginsRow(
  { timeStamp, elapsed }: JmeterColumns,
  record: CsvRecord,
  bytes: Uint8Array,
  start: number,
): boolean {
  const textAt = (field: number) => latin1.decode(record.contents(bytes, start, field));
  if (record.fields <= Math.max(timeStamp ?? 0, elapsed)) return false;
  const isTime = timeStamp === undefined || /^\d[\dT Z/.,:+-]{7,}$/.test(textAt(timeStamp));
  return isTime && /^-?\d+$/.test(textAt(elapsed));
}
