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

/** Whether the fast path can read these columns: the outcome must be in one field. */
export function hasFastPath({ success, errorCount }: JmeterColumns): boolean {
  return success !== undefined || errorCount === undefined;
}

/**
 * Fast path: unquoted rows with plain numbers and one request of a known label. The kernel stops before any
 * other row; once that was read exactly, the kernel learns its label.
 */
export class JmeterFastRows {
  count = 0;
  readonly #columns: JmeterColumns;
  readonly #targets: JmeterCsvTargets;
  readonly #failures: JmeterFastFailures;
  /** Text of the minute that the kernel knows. */
  #minuteText: Uint8Array | undefined;

  constructor(columns: JmeterColumns, targets: JmeterCsvTargets) {
    this.#columns = columns;
    this.#targets = targets;
    this.#failures = new JmeterFastFailures(columns, targets.extras);
    targets.kernel.useColumns(columns);
  }

  /** Reads rows from position `from` of the kernel's window. Returns where the first unread row begins. */
  read(bytes: Uint8Array, from: number, to: number): number {
    const { kernel, rows } = this.#targets;
    for (let at = from; ;) {
      const before = rows.batch.rows;
      at = kernel.read(at, to);
      this.count += rows.batch.rows - before;
      this.#recordExtras(bytes);
      if (rows.batch.rows < SAMPLE_BATCH_ROWS) return at;
      rows.flush();
    }
  }

  /** Passes the last request to the roles, for later rows. Must be called before other rows are read or bytes move. */
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

  /** Teaches the kernel the label of the row just read. */
  learn(row: JmeterCsvRow, record: CsvRecord, start: number): void {
    const { kernel, labels, roles, timestamps } = this.#targets;
    const { label: column, hostname } = this.#columns;
    const { label, generator } = row;
    const isKnown = !labels.isOverLimit(label) && !roles.mustBeClassified(label);
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

  #recordExtras(bytes: Uint8Array): void {
    const { kernel, rows, extras } = this.#targets;
    const { label, second } = rows.batch;
    kernel.eachUsers((generator, userSecond, active) =>
      extras.recordUsers(generator, userSecond, active),
    );
    kernel.eachFailure((row, at) =>
      this.#failures.record(bytes, at, label[row] as number, second[row] as number),
    );
  }

  #field(bytes: Uint8Array, row: number, column: number | undefined): FieldAt | undefined {
    if (column === undefined) return undefined;
    const { delimiter } = this.#columns;
    let from = row;
    for (let left = column; left > 0; left--) from = fieldEnd(bytes, from, delimiter) + 1;
    return { bytes, from, to: withoutReturn(bytes, from, fieldEnd(bytes, from, delimiter)) };
  }
}

/** Reports why rows of the fast path failed, by parsing them again: most have not. */
class JmeterFastFailures {
  readonly #delimiter: number;
  readonly #extras: JmeterExtras;
  /** Columns with reasons, left to right, each with the number of fields to skip. */
  readonly #reasons: readonly { readonly name: keyof JmeterFailure; readonly skipped: number }[];

  constructor(columns: JmeterColumns, extras: JmeterExtras) {
    this.#delimiter = columns.delimiter;
    this.#extras = extras;
    this.#reasons = reasonsOf(columns);
  }

  record(bytes: Uint8Array, row: number, label: number, second: number): void {
    const failure = { responseCode: "", responseMessage: "", failureMessage: "" };
    let from = row;
    for (const { name, skipped } of this.#reasons) {
      for (let left = skipped; left > 0; left--) from = this.#end(bytes, from) + 1;
      const end = this.#end(bytes, from);
      failure[name] = this.#extras.textAt(bytes, from, withoutReturn(bytes, from, end));
      from = end + 1;
    }
    this.#extras.recordFailure({ label, second, requests: 1 }, failure);
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

/** End of the field at `from`. */
function fieldEnd(bytes: Uint8Array, from: number, delimiter: number): number {
  let at = from;
  while (bytes[at] !== delimiter && bytes[at] !== LINE_FEED) at++;
  return at;
}

/** Excludes a carriage return before the line feed at `to`. */
function withoutReturn(bytes: Uint8Array, from: number, to: number): number {
  if (bytes[to] !== LINE_FEED) return to;
  return to > from && bytes[to - 1] === CARRIAGE_RETURN ? to - 1 : to;
}
