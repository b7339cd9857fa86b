import { SAMPLE_BATCH_ROWS } from "../../model/sample-batch.ts";
import type { CsvRecord } from "../csv/csv-record.ts";
import type { JmeterColumns } from "./jmeter-csv-columns.ts";
import type { JmeterCsvTargets } from "./jmeter-csv-roles.ts";
import type { JmeterCsvRow } from "./jmeter-csv-row.ts";
import type { JmeterExtras, JmeterFailure } from "./jmeter-extras.ts";
import type { FieldAt } from "./jmeter-fields.ts";

/** The fields of rows in which nothing is quoted and behind which there is a line feed. */

const LINE_FEED = 0x0a;

const CARRIAGE_RETURN = 0x0d;

/** Whether rows with these columns can be plain: whether one failed must not take two fields. */
export function canBePlain({ success, errorCount }: JmeterColumns): boolean {
  return success !== undefined || errorCount === undefined;
}

/**
 * Reads the rows that nearly all files consist of: nothing quoted, plain numbers, one request, of a
 * label that is known. The kernel gives up before a row that it does not fully understand, and
 * leaves no trace of it; once it was read exactly, the kernel learns what was new in it.
 */
export class JmeterPlainRows {
  /** Rows read so far. */
  count = 0;
  readonly #columns: JmeterColumns;
  readonly #targets: JmeterCsvTargets;
  readonly #failures: JmeterPlainFailures;
  /** The text of the minute that the kernel knows. */
  #minuteText: Uint8Array | undefined;

  constructor(columns: JmeterColumns, targets: JmeterCsvTargets) {
    this.#columns = columns;
    this.#targets = targets;
    this.#failures = new JmeterPlainFailures(columns, targets.extras);
    targets.kernel.useColumns(columns);
  }

  /**
   * Reads rows from position `from` of the kernel's window on, where one begins. Returns where the
   * first row begins that was not read, at `to` or before.
   */
  read(bytes: Uint8Array, from: number, to: number): number {
    const { kernel, rows } = this.#targets;
    for (let at = from; ;) {
      const before = rows.batch.rows;
      at = kernel.read(at, to);
      this.count += rows.batch.rows - before;
      this.#tellExtras(bytes);
      if (rows.batch.rows < SAMPLE_BATCH_ROWS) return at;
      rows.flush();
    }
  }

  /**
   * Keeps what later rows may ask of the last request: most are followed by no sub-result. To be
   * called before a row is read otherwise, and before the bytes move.
   */
  settle(bytes: Uint8Array): void {
    const { kernel, roles } = this.#targets;
    const request = kernel.takeRequest();
    if (request === "forgotten") roles.forgetRequest();
    else if (request !== undefined) {
      const { at, label, second, millis, elapsedMicros } = request;
      roles.takeRequest(label, second, millis, elapsedMicros);
      roles.takeThread(this.#field(bytes, at, this.#columns.threadName));
    }
  }

  /** Lets rows be plain that hold what `row` has found in the record at `start`. */
  learn(row: JmeterCsvRow, record: CsvRecord, start: number): void {
    const { kernel, labels, roles, timestamps } = this.#targets;
    const { label: column, hostname } = this.#columns;
    const { label, generator } = row;
    const isKnown = !labels.isOverLimit(label) && !roles.mustBeJudged(label);
    if (isKnown && !record.isIrregular(column)) {
      const role = roles.roleIndexOf(label);
      kernel.learnLabel(start + record.from(column), start + record.to(column), { label, role });
    }
    if (generator !== undefined) {
      const [from, to] =
        hostname === undefined ? [0, 0] : [record.from(hostname), record.to(hostname)];
      kernel.learnHost(start + from, start + to, generator);
    }
    const { minute } = timestamps;
    if (minute.text !== this.#minuteText) {
      this.#minuteText = minute.text;
      kernel.learnMinute(minute);
    }
  }

  #tellExtras(bytes: Uint8Array): void {
    const { kernel, rows, extras } = this.#targets;
    const { label, second } = rows.batch;
    kernel.eachUsers((generator, userSecond, active) =>
      extras.tellUsers(generator, userSecond, active),
    );
    kernel.eachFailure((row, at) =>
      this.#failures.tell(bytes, at, label[row] as number, second[row] as number),
    );
  }

  /** The field of a column of the row at `row`. */
  #field(bytes: Uint8Array, row: number, column: number | undefined): FieldAt | undefined {
    if (column === undefined) return undefined;
    const { delimiter } = this.#columns;
    let from = row;
    for (let left = column; left > 0; left--) from = fieldEnd(bytes, from, delimiter) + 1;
    return { bytes, from, to: withoutReturn(bytes, from, fieldEnd(bytes, from, delimiter)) };
  }
}

/** Says why plain rows have failed. They are walked over once more for that: most have not. */
class JmeterPlainFailures {
  readonly #delimiter: number;
  readonly #extras: JmeterExtras;
  /** The columns that say why, from left to right, each with the fields in front of it to skip. */
  readonly #reasons: readonly { readonly name: keyof JmeterFailure; readonly skipped: number }[];

  constructor(columns: JmeterColumns, extras: JmeterExtras) {
    this.#delimiter = columns.delimiter;
    this.#extras = extras;
    this.#reasons = reasonsOf(columns);
  }

  /** Takes the whole row that begins at `row`, in which nothing is quoted. */
  tell(bytes: Uint8Array, row: number, label: number, second: number): void {
    const failure = { responseCode: "", responseMessage: "", failureMessage: "" };
    let from = row;
    for (const { name, skipped } of this.#reasons) {
      for (let left = skipped; left > 0; left--) from = this.#end(bytes, from) + 1;
      const end = this.#end(bytes, from);
      failure[name] = this.#extras.textAt(bytes, from, withoutReturn(bytes, from, end));
      from = end + 1;
    }
    this.#extras.tellFailure({ label, second, requests: 1 }, failure);
  }

  #end(bytes: Uint8Array, from: number): number {
    return fieldEnd(bytes, from, this.#delimiter);
  }
}

function reasonsOf(columns: JmeterColumns): { name: keyof JmeterFailure; skipped: number }[] {
  const { responseCode, responseMessage, failureMessage } = columns;
  const found = Object.entries({ responseCode, responseMessage, failureMessage })
    .flatMap(([name, column]) =>
      column === undefined ? [] : [{ name: name as keyof JmeterFailure, column }],
    )
    .toSorted((left, right) => left.column - right.column);
  return found.map(({ name, column }, index) => {
    const before = index === 0 ? -1 : (found[index - 1] as { column: number }).column;
    return { name, skipped: column - before - 1 };
  });
}

/** Where the field that begins at `from` ends: at a delimiter, or at the end of its line. */
function fieldEnd(bytes: Uint8Array, from: number, delimiter: number): number {
  let at = from;
  while (bytes[at] !== delimiter && bytes[at] !== LINE_FEED) at++;
  return at;
}

/** The end of a field; a carriage return before the line feed at `to` is no part of it. */
function withoutReturn(bytes: Uint8Array, from: number, to: number): number {
  if (bytes[to] !== LINE_FEED) return to;
  return to > from && bytes[to - 1] === CARRIAGE_RETURN ? to - 1 : to;
}
