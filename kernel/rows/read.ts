import {
  ALL_THREADS,
  BYTES,
  columnOf,
  DATA_TYPE,
  DELIMITER,
  ELAPSED,
  FIELDS,
  HOST_NAME,
  LABEL_TEXT,
  RESPONSE_MESSAGE,
  SAMPLE_COUNT,
  SUCCESS,
  TIME_STAMP,
} from "./columns";
import { clearInstant, millis, readInstant, second } from "./instants";
import {
  BATCH_ROWS,
  CODE_AT,
  CODE_KIND,
  CODE_ROW,
  ELAPSED_MICROS,
  FAILED_AT,
  FAILED_KIND,
  FAILED_REQUESTS,
  FAILED_ROW,
  LABEL,
  LABELS,
  LABEL_VALUES,
  LINE_ENDS,
  MILLIS,
  RECEIVED_BYTES,
  REQUESTS,
  ROW_AT,
  ROW_FACETS,
  SECOND,
  SEPARATORS,
  STRETCH_BYTES,
  WINDOW,
} from "./layout";
import { facetsIn } from "./facets";
import { codeKindOf, hasUsualCode, kindOf } from "./kinds";
import { readMeasures } from "./measured";
import { NOT_PLAIN, wholeAt } from "./numbers";
import { findQuotedRow, innerLines } from "./quoted";
import { findSeparators, hasQuote, lineEnds, separators } from "./separators";
import { learn, UNKNOWN, valueOf } from "./texts";
import { clearUsers, generatorOf, generatorWithoutName, reportUsers } from "./users";
import {
  beginRead,
  forgetRequest,
  isOfTransaction,
  openRequest,
  REQUEST,
  settleRequest,
  SUBRESULT,
  TRANSACTION,
} from "./roles";

/** Rows in the batch; of the last `read`: failed rows, passed rows with a code other than 200, line feeds within quotes. */
export let rows: u32 = 0;
export let failures: u32 = 0;
export let codes: u32 = 0;
export let lines: u32 = 0;

/** Bytes searched first: few, as `read` is called again after each row that is left to the exact reader. */
const FIRST_STRETCH_BYTES: u32 = 1024;
const CARRIAGE_RETURN: u8 = 0x0d;
const QUOTE: u8 = 0x22;
const ONE: u8 = 0x31;
/** The letters of `true`, and the first of `false`. */
const TRUE: u32 = 0x65757274;
const FALS: u32 = 0x736c6166;
const LAST_OF_FALSE: u8 = 0x65;

/** Returns the value of the label at `[from, to)` of the window, which has a request, or `UNKNOWN`. */
declare function labelOf(from: u32, to: u32): u32;

/** Whether a row is not plain, or the batch is full. */
let isStopped: bool = false;

/**
 * Reads rows from `from`, the start of one, and appends them to the batch, which has `firstRow` rows. Stops when the batch
 * is full, and before a row that is left to the exact reader or does not end before `to`. Returns the start of that row,
 * which has no effect.
 */
export function read(from: u32, to: u32, firstRow: u32): u32 {
  rows = firstRow;
  failures = 0;
  codes = 0;
  lines = 0;
  clearUsers();
  beginRead();
  const delimiter = <u8>columnOf(DELIMITER);
  let bytes = FIRST_STRETCH_BYTES;
  let at = from;
  for (;;) {
    const end = min(to, at + bytes);
    findSeparators(at, end, delimiter);
    const next = readRows(at);
    const isTooLong = next == at && bytes == STRETCH_BYTES;
    at = next;
    if (isStopped || (isTooLong && !hasQuote)) break;
    if (hasQuote) at = readQuoted(at, to, delimiter);
    if (isStopped || (!hasQuote && end == to)) break;
    bytes = min<u32>(bytes * 2, STRETCH_BYTES);
  }
  settleRequest();
  return at;
}

/** Reads the rows of a stretch: each last field must end at a line end. Returns the start of the first unread row. */
function readRows(from: u32): u32 {
  const fields = columnOf(FIELDS) << 2;
  const last = SEPARATORS + (separators << 2);
  let start = from;
  let first = SEPARATORS;
  store<u32>(first - 4, start - 1);
  findLabels(fields, last);
  isStopped = true;
  for (let line: u32 = 0; line < lineEnds; line++) {
    const lineEnd = load<u32>(LINE_ENDS + (line << 2));
    const next = first + fields;
    if (rows == BATCH_ROWS || next > last || load<u32>(next - 4) != lineEnd) return start;
    const hasReturn = load<u8>(lineEnd - 1) == CARRIAGE_RETURN;
    if (hasReturn) store<u32>(next - 4, lineEnd - 1);
    if (!readRow(start, first, load<u32>(LABEL_VALUES + (line << 2)))) return start;
    if (hasReturn) store<u32>(next - 4, lineEnd);
    rows += 1;
    start = lineEnd + 1;
    first = next;
  }
  isStopped = false;
  return start;
}

/** Looks up the labels of all rows before any is read, so that cache misses overlap if there are very many labels. */
function findLabels(fields: u32, last: u32): void {
  // A label in the last column excludes the carriage return.
  const isLast = columnOf(LABEL_TEXT) == columnOf(FIELDS) - 1;
  let first = SEPARATORS;
  for (let line: u32 = 0; line < lineEnds && first + fields <= last; line++) {
    const to = fieldTo(first, LABEL_TEXT);
    const hasReturn = isLast && load<u8>(to - 1) == CARRIAGE_RETURN;
    store<u32>(LABEL_VALUES + (line << 2), labelIn(first, to - <u32>hasReturn));
    first += fields;
  }
}

function labelIn(ends: u32, to: u32): u32 {
  const from = fieldFrom(ends, LABEL_TEXT);
  return valueOf(LABELS, from, to - from);
}

/** Reads the row at `start`, which has quotes. Returns the start of the next row, or `start` if it is not plain. */
function readQuoted(start: u32, to: u32, delimiter: u8): u32 {
  isStopped = true;
  const lineEnd = rows == BATCH_ROWS ? 0 : findQuotedRow(start, to, delimiter);
  if (lineEnd == 0) return start;
  store<u32>(SEPARATORS - 4, start - 1);
  const last = SEPARATORS + (columnOf(FIELDS) << 2) - 4;
  if (load<u8>(lineEnd - 1) == CARRIAGE_RETURN) store<u32>(last, lineEnd - 1);
  const label = labelIn(SEPARATORS, fieldTo(SEPARATORS, LABEL_TEXT));
  if (!readRow(start, SEPARATORS, label)) return start;
  rows += 1;
  lines += innerLines;
  isStopped = false;
  return lineEnd + 1;
}

/** Reads the row at `start`. `ends`: its separators; `label`: the value of its label. Reports whether it is plain. */
function readRow(start: u32, ends: u32, label: u32): bool {
  if (!readTime(ends)) return false;
  const elapsed = numberIn(ends, ELAPSED);
  const bytes = hasColumn(BYTES) ? numberIn(ends, BYTES) : 0;
  const failed = hasColumn(SUCCESS) ? failedIn(ends) : 0;
  if (elapsed == NOT_PLAIN || bytes == NOT_PLAIN || failed == NOT_PLAIN) return false;
  if (hasColumn(SAMPLE_COUNT) && !isOne(ends)) return false;
  if (!readMeasures(rows, ends)) return false;
  const hasUsers = hasColumn(ALL_THREADS);
  const active = hasUsers ? numberIn(ends, ALL_THREADS) : 0;
  const generator = hasUsers && second != 0 ? generatorIn(ends) : 0;
  if (active == NOT_PLAIN || generator == UNKNOWN) return false;
  // Last, so that an unreadable row adds no label.
  if (label == UNKNOWN) label = newLabel(ends);
  if (label == UNKNOWN || !takeRole(label, start, ends)) return false;
  write(label >> 2, elapsed, bytes, failed);
  store<u32>(ROW_FACETS + (rows << 2), facetsIn(start, ends));
  store<u32>(ROW_AT + (rows << 2), start);
  if (hasUsers && second != 0) reportUsers(generator, second + (millis + elapsed) / 1000, active);
  if (failed != 0) noteFailure(start, label >> 2, ends);
  else if (!hasUsualCode(ends)) noteCode(start, label >> 2, ends);
  return true;
}

function write(label: u32, elapsed: u32, bytes: u32, failed: u32): void {
  const word = rows << 2;
  store<u32>(LABEL + word, label);
  store<u32>(SECOND + word, second);
  store<f64>(ELAPSED_MICROS + (word << 1), <f64>elapsed * 1000);
  store<f64>(RECEIVED_BYTES + (word << 1), <f64>bytes);
  store<u32>(REQUESTS + word, 1);
  store<u32>(FAILED_REQUESTS + word, failed);
  store<u32>(MILLIS + word, millis);
}

function noteFailure(start: u32, label: u32, ends: u32): void {
  store<u32>(FAILED_ROW + (failures << 2), rows);
  store<u32>(FAILED_AT + (failures << 2), start);
  store<u32>(FAILED_KIND + (failures << 2), kindOf(label, ends));
  failures += 1;
}

function noteCode(start: u32, label: u32, ends: u32): void {
  store<u32>(CODE_ROW + (codes << 2), rows);
  store<u32>(CODE_AT + (codes << 2), start);
  store<u32>(CODE_KIND + (codes << 2), codeKindOf(label, ends));
  codes += 1;
}

/** Updates the last request by the role of the row's label. Returns false if the row may not have that role. */
function takeRole(label: u32, start: u32, ends: u32): bool {
  const role = label & 3;
  if (role == REQUEST) openRequest(start, rows);
  else if (role != SUBRESULT) {
    if (!repeatsOthers(role, ends)) return false;
    forgetRequest();
  }
  return true;
}

/** Returns the value of a label that was not learnt, and learns it; `UNKNOWN` if the row may be no request. */
function newLabel(ends: u32): u32 {
  const from = fieldFrom(ends, LABEL_TEXT);
  const to = fieldTo(ends, LABEL_TEXT);
  if (isQuoted(ends, LABEL_TEXT) || !isUsual(ends)) return UNKNOWN;
  const label = labelOf(from - WINDOW, to - WINDOW);
  if (label != UNKNOWN) learn(LABELS, from, to - from, label);
  return label;
}

/** Reports whether the row is `other` by `rowKind` of jmeter-fields.ts, and its fields are not quoted. */
function isUsual(ends: u32): bool {
  if (!hasColumn(RESPONSE_MESSAGE)) return true;
  const from = fieldFrom(ends, RESPONSE_MESSAGE);
  const length = fieldTo(ends, RESPONSE_MESSAGE) - from;
  if (length > 0) return !isQuoted(ends, RESPONSE_MESSAGE) && !isOfTransaction(from, length);
  if (!hasColumn(DATA_TYPE) || isQuoted(ends, DATA_TYPE)) return false;
  return fieldFrom(ends, DATA_TYPE) < fieldTo(ends, DATA_TYPE);
}

function isQuoted(ends: u32, place: u32): bool {
  return load<u8>(fieldFrom(ends, place)) == QUOTE;
}

/** Reports whether the row repeats others by its message and data type, as rows of its label do. */
function repeatsOthers(role: u32, ends: u32): bool {
  if (!hasColumn(RESPONSE_MESSAGE)) return false;
  const from = fieldFrom(ends, RESPONSE_MESSAGE);
  const length = fieldTo(ends, RESPONSE_MESSAGE) - from;
  if (length > 0) return role == TRANSACTION && isOfTransaction(from, length);
  return !hasColumn(DATA_TYPE) || fieldFrom(ends, DATA_TYPE) == fieldTo(ends, DATA_TYPE);
}

function readTime(ends: u32): bool {
  if (hasColumn(TIME_STAMP))
    return readInstant(fieldFrom(ends, TIME_STAMP), fieldTo(ends, TIME_STAMP));
  clearInstant();
  return true;
}

/** Returns 0 for `true`, 1 for `false`, and `NOT_PLAIN` for other text. */
function failedIn(ends: u32): i32 {
  const from = fieldFrom(ends, SUCCESS);
  const length = fieldTo(ends, SUCCESS) - from;
  const letters = load<u32>(from);
  if (length == 4) return letters == TRUE ? 0 : NOT_PLAIN;
  return length == 5 && letters == FALS && load<u8>(from + 4) == LAST_OF_FALSE ? 1 : NOT_PLAIN;
}

function isOne(ends: u32): bool {
  const from = fieldFrom(ends, SAMPLE_COUNT);
  return fieldTo(ends, SAMPLE_COUNT) - from == 1 && load<u8>(from) == ONE;
}

/** Returns the generator of the row's host, or `UNKNOWN`; the one without a name if the source has no hosts. */
function generatorIn(ends: u32): u32 {
  if (!hasColumn(HOST_NAME)) return generatorWithoutName();
  return generatorOf(fieldFrom(ends, HOST_NAME), fieldTo(ends, HOST_NAME));
}

function numberIn(ends: u32, place: u32): i32 {
  return wholeAt(fieldFrom(ends, place), fieldTo(ends, place));
}

function hasColumn(place: u32): bool {
  return columnOf(place) >= 0;
}

function fieldFrom(ends: u32, place: u32): u32 {
  return load<u32>(ends + (columnOf(place) << 2) - 4) + 1;
}

function fieldTo(ends: u32, place: u32): u32 {
  return load<u32>(ends + (columnOf(place) << 2));
}
