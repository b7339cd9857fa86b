import { UserError } from "../../model/errors.ts";
import { CARRIAGE_RETURN, COMMA, LINE_FEED } from "../bytes/ascii.ts";
import { TimestampReader } from "../bytes/timestamp.ts";
import { CsvRecord } from "../csv/csv-record.ts";
import { quoted } from "../quoted.ts";
import { COLUMN_NAMES, MEASURED } from "./jmeter-fields.ts";

/** A sample variable; `column` is a field index. */
interface VariableColumn {
  readonly name: string;
  readonly column: number;
}

const HEADERS = {
  ...COLUMN_NAMES,
  failureMessage: "failureMessage",
} as const;

type ColumnName = keyof typeof HEADERS;

const COLUMNS_READ = Object.keys(HEADERS) as readonly ColumnName[];

/** Field index of each column; `undefined` if missing. */
export interface JmeterColumns extends Readonly<Record<ColumnName, number | undefined>> {
  readonly delimiter: number;
  readonly fields: number;
  readonly elapsed: number;
  readonly label: number;
  /** Only read of requests that are kept whole. */
  readonly url: number | undefined;
  /** In the order of the measures. */
  readonly measures: readonly (number | undefined)[];
  readonly variables: readonly VariableColumn[];
  /** Of all columns, in order. */
  readonly names: readonly string[];
  /** Whether there is a header; else columns follow from the contents. */
  readonly isNamed: boolean;
}

/** Whether a column is used for numbers, labels or failure kinds; those of measures are not. */
export function isRead(columns: JmeterColumns, index: number): boolean {
  return COLUMNS_READ.some((name) => columns[name] === index) && !columns.measures.includes(index);
}

/** A JMeter header has at least two of these. */
const LEADING_NAMES = ["timeStamp", "elapsed", "label"];
/** The first columns of JMeter up to 2.12, in order. */
export const UNNAMED_COLUMNS: readonly string[] = [
  "timeStamp",
  "elapsed",
  "label",
  "responseCode",
  "responseMessage",
  "threadName",
  "dataType",
  "success",
];
const NAMES = new Set([...Object.values(HEADERS), "grpThreads", "URL", "Filename", "Encoding"]);
const NAME_BY_LOWER_CASE = new Map([...NAMES].map((name) => [name.toLowerCase(), name]));
const SUCCESS_INDEX = 7;
const UNNAMED_FIELDS_MIN = 9;

const THREADS = ["grpThreads", "allThreads"];
/** What follows, by number of fields: 2.9, 2.12, 3.0, 3.1 and 5.0. */
const UNNAMED_REST: Readonly<Record<number, readonly string[]>> = {
  10: ["bytes", "Latency"],
  12: ["bytes", ...THREADS, "Latency"],
  14: ["failureMessage", "bytes", ...THREADS, "Latency", "IdleTime"],
  16: ["failureMessage", "bytes", "sentBytes", ...THREADS, "Latency", "IdleTime", "Connect"],
  17: ["failureMessage", "bytes", "sentBytes", ...THREADS, "URL", "Latency", "IdleTime", "Connect"],
};
/** Index of the URL if `failureMessage` is missing from the 17. */
const URL_INDEX = 12;
/** JMeter property of a column, if its name differs. */
const PROPERTY: Record<string, string> = { elapsed: "time" };

/** Limits of the search for the first field, and of empty lines before it. */
const FIRST_FIELD_BYTES_MAX = 1024;
const BLANK_BYTES_MAX = 1024;
const FIRST_FIELD =
  /^(?:"[^"\r\n]*"|(?=\W"?(?:timeStamp|elapsed|label)\b)|(?:\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}[ T])?\d{1,2}:\d\d:\d\d(?:[.:]\d+)?(?:Z|[+-]\d\d:?\d\d)?|\w+)(?<delimiter>[^\w"\r\n])/i;

const DELIMITER_LINE = /^sep=[^\w"\r\n]\r?\n/;
const DELIMITER_LINE_BYTES_MAX = 8;

/** Maximum head of `recognises`. */
const HEAD_BYTES = 64 * 1024;

const latin1 = new TextDecoder("latin1");
const utf8 = new TextDecoder();

/** Whether `head` begins with a JMeter header, or a row without one. */
export function isJmeterCsv(head: Uint8Array): boolean {
  const start = blankEnd(head);
  const delimiter = delimiterOf(head, start);
  if (delimiter === undefined) return false;
  const record = new CsvRecord(delimiter);
  record.begin();
  const isEnded = record.scan(head, start, head.length);
  if (!isEnded && (head.length >= HEAD_BYTES || !record.finish(head, start))) return false;
  const fields = fieldTexts(record, head, start);
  return isHeader(headerNames(fields)) || unnamedColumns(fields, delimiter) !== undefined;
}

export function isHeader(fields: readonly string[]): boolean {
  return LEADING_NAMES.filter((name) => fields.includes(name)).length >= 2;
}

/**
 * Names of the columns as JMeter writes them: without blanks around them and, in exports of databases that change the case of
 * all names, in JMeter's case.
 */
export function headerNames(fields: readonly string[]): readonly string[] {
  const names = fields.map((field) => field.replaceAll(/^ +| +$/g, ""));
  const lower = names.map((name) => name.toLowerCase());
  const isJmeters = LEADING_NAMES.every((name) => {
    return names.includes(name) || !lower.includes(name.toLowerCase());
  });
  const isComplete = LEADING_NAMES.every((name) => lower.includes(name.toLowerCase()));
  if (isJmeters || !isComplete) return names;
  return names.map((name, at) => NAME_BY_LOWER_CASE.get(lower[at] as string) ?? name);
}

/** Columns from `headerNames` of a header, or an old row. Throws `unreadable-source`. */
export function columnsOf(fields: readonly string[], delimiter: number): JmeterColumns {
  if (fields.some((field) => field.includes("\r"))) {
    throw new UserError(
      "unreadable-source",
      `cannot read this as JMeter CSV: the first line holds a carriage return, want lines that end with LF or CR LF, got ${quoted(fields.join(" "))}`,
    );
  }
  const columns = isHeader(fields)
    ? namedColumns(fields, delimiter)
    : unnamedColumns(fields, delimiter);
  if (columns === undefined) throw notJmeterCsv(fields.join(String.fromCodePoint(delimiter)));
  return columns;
}

/** Throws `unreadable-source` if a column is missing. */
function namedColumns(names: readonly string[], delimiter: number): JmeterColumns {
  const columns = Object.fromEntries(
    COLUMNS_READ.map((name) => [name, indexOf(names, HEADERS[name])]),
  ) as Readonly<Record<ColumnName, number | undefined>>;
  return {
    ...columns,
    delimiter,
    fields: names.length,
    names,
    elapsed: requiredIndexOf(names, "elapsed"),
    label: requiredIndexOf(names, "label"),
    url: indexOf(names, "URL"),
    measures: MEASURED.map((name) => columns[name]),
    variables: variablesIn(names),
    isNamed: true,
  };
}

/** Columns of a damaged row of `fields` fields: those that `placeOf` finds, without measures and variables. */
function onlyUpTo(
  columns: JmeterColumns,
  fields: number,
  placeOf: (column: number) => number | undefined,
): JmeterColumns {
  const found = COLUMNS_READ.map((name) => {
    const column = columns[name];
    return [name, column === undefined ? undefined : placeOf(column)] as const;
  });
  const places = Object.fromEntries(found) as Readonly<Record<ColumnName, number | undefined>>;
  const { elapsed, label } = columns;
  return {
    ...columns,
    ...places,
    elapsed,
    label,
    url: undefined,
    fields,
    measures: [],
    variables: [],
  };
}

/** JMeter writes them after all columns. */
function variablesIn(names: readonly string[]): VariableColumn[] {
  const last = names.findLastIndex((name) => NAMES.has(name));
  return names.flatMap((name, column) => (column > last ? [{ name, column }] : []));
}

/** Whether `bytes` is enough to find the delimiter. */
export function hasFirstField(bytes: Uint8Array): boolean {
  const start = blankEnd(bytes);
  const isLong = bytes.length - start >= FIRST_FIELD_BYTES_MAX || start >= BLANK_BYTES_MAX;
  return isLong || bytes.indexOf(LINE_FEED, start) >= 0;
}

/** Delimiter of a source; any for an empty one. Throws `unreadable-source`. */
export function requiredDelimiterOf(bytes: Uint8Array): number {
  const start = blankEnd(bytes);
  // Independent of chunk borders.
  const delimiter = start < BLANK_BYTES_MAX ? delimiterOf(bytes, start) : undefined;
  if (delimiter !== undefined) return delimiter;
  if (start === bytes.length && start < BLANK_BYTES_MAX) return COMMA;
  const [firstLine = ""] = utf8
    .decode(bytes.subarray(start, start + FIRST_FIELD_BYTES_MAX))
    .split("\n", 1);
  throw notJmeterCsv(firstLine);
}

/** The byte after the first field: a name, number or date and time. `undefined` if there is none. */
function delimiterOf(bytes: Uint8Array, start: number): number | undefined {
  const text = latin1.decode(bytes.subarray(start, start + FIRST_FIELD_BYTES_MAX));
  return FIRST_FIELD.exec(text)?.groups?.["delimiter"]?.codePointAt(0);
}

function notJmeterCsv(firstLine: string): UserError {
  return new UserError(
    "unreadable-source",
    `cannot read this as JMeter CSV: the first line is neither a header (timeStamp, elapsed, label, ...) nor a row as JMeter writes it without one, got ${quoted(firstLine)}; add JMeter's header line`,
  );
}

/**
 * Columns of a row without header, as of JMeter up to 2.13 or with `print_field_names` off; `undefined` for
 * other rows.
 */
function unnamedColumns(fields: readonly string[], delimiter: number): JmeterColumns | undefined {
  const [time = "", elapsed = ""] = fields;
  if (fields.length < UNNAMED_FIELDS_MIN || !/^\d+$/.test(elapsed)) return undefined;
  if (!/^(?:true|false)$/i.test(fields[SUCCESS_INDEX] ?? "")) return undefined;
  if (!/^\d{13}$/.test(time) && !isDateOrTime(time)) return undefined;
  const names = [...UNNAMED_COLUMNS, ...unnamedRest(fields)];
  return { ...namedColumns(names, delimiter), fields: fields.length, isNamed: false };
}

function isDateOrTime(text: string): boolean {
  const bytes = new TextEncoder().encode(text);
  return /[:]/.test(text) && new TimestampReader("UTC").read(bytes, 0, bytes.length) !== undefined;
}

/** Whether `failureMessage`, not the URL, is missing from the 17 default fields. */
function isWithoutFailureMessage(fields: readonly string[]): boolean {
  return fields.length === 16 && !/^\d+$/.test(fields[URL_INDEX] ?? "");
}

/** In other rows only `bytes` is found: it follows `success`, since 3.0 with `failureMessage` in between. */
function unnamedRest(fields: readonly string[]): readonly string[] {
  if (isWithoutFailureMessage(fields)) return UNNAMED_REST[17]?.slice(1) ?? [];
  const others = [["bytes"], ["failureMessage", "bytes"]];
  const index = others.findIndex(({ length }) =>
    /^\d+$/.test(fields[SUCCESS_INDEX + length] ?? ""),
  );
  return UNNAMED_REST[fields.length] ?? others[index] ?? [];
}

/** The first one: JMeter's columns precede user variables. */
function indexOf(names: readonly string[], name: string): number | undefined {
  const index = names.indexOf(name);
  return index < 0 ? undefined : index;
}

function requiredIndexOf(names: readonly string[], name: string): number {
  const index = indexOf(names, name);
  if (index === undefined) {
    throw new UserError(
      "unreadable-source",
      `cannot read this as JMeter CSV: the header has no ${name} column, got ${quoted(names.join(" "))}; record with jmeter.save.saveservice.${PROPERTY[name] ?? name}=true`,
    );
  }
  return index;
}

/** End of empty lines, and of the line with which Excel is given the delimiter. */
function blankEnd(bytes: Uint8Array): number {
  let at = 0;
  while (bytes[at] === LINE_FEED || bytes[at] === CARRIAGE_RETURN) at++;
  const start = latin1.decode(bytes.subarray(at, at + DELIMITER_LINE_BYTES_MAX));
  return at + (DELIMITER_LINE.exec(start)?.[0].length ?? 0);
}

/** Whether a record is the line `sep=,`. */
export function isDelimiterLine(fields: readonly string[]): boolean {
  return fields.length === 2 && fields[0] === "sep=" && fields[1] === "";
}

export function fieldTexts(record: CsvRecord, bytes: Uint8Array, start: number): string[] {
  return Array.from({ length: record.fields }, (_, index) =>
    utf8.decode(record.contents(bytes, start, index)),
  );
}

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
  columns: JmeterColumns,
  record: CsvRecord,
  textAt: (field: number) => string,
): number | undefined {
  const { success, fields, timeStamp = 0, elapsed, label } = columns;
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
  return outcomes.size === 1 && !holdsAnotherRow(columns, record, first, textAt)
    ? first
    : undefined;
}

function holdsAnotherRow(
  { timeStamp = 0, label, responseCode }: JmeterColumns,
  record: CsvRecord,
  success: number,
  textAt: (field: number) => string,
): boolean {
  for (let field = label; field + 1 < record.fields; field++) {
    if (!WHOLE.test(textAt(field + 1)) || !ANOTHER_ROW.test(textAt(field))) continue;
    if (field > success) return true;
    // Up to the outcome it may be a label that ends with a time, in front of its code.
    const code = responseCode === undefined ? record.fields : field + responseCode - timeStamp;
    const text = code < record.fields ? textAt(code) : "";
    if (text !== "" && CODE.test(text)) return true;
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

/** Whether a line that does not begin like a row may be the end of one, as it has an outcome: what follows a line break in a message has none. */
export function holdsOutcome(
  { success = -1 }: JmeterColumns,
  record: CsvRecord,
  bytes: Uint8Array,
  start: number,
): boolean {
  for (let field = 0; field <= success && field < record.fields; field++) {
    if (OUTCOME.test(latin1.decode(record.contents(bytes, start, field)))) return true;
  }
  return false;
}
