import { CARRIAGE_RETURN, LINE_FEED, QUOTE } from "../bytes/ascii.ts";
import type { FailureKind } from "../../model/failures.ts";
import { SAMPLE_BATCH_ROWS } from "../../model/sample-batch.ts";
import type { RequestDetails, SampleTimes } from "../../model/samples/request-sample.ts";
import { CsvRecord, withoutQuotes } from "../csv/csv-record.ts";
import type { JmeterColumns } from "./jmeter-csv-columns.ts";
import type { JmeterCsvTargets } from "./jmeter-csv-roles.ts";
import { type FailedRow, isMonitorLabel, jmeterDetails, jmeterUrl } from "./jmeter-extras.ts";
import type { JmeterCsvRow } from "./jmeter-csv-row.ts";
import type { FieldAt } from "./jmeter-fields.ts";
import { labelValue, UNKNOWN } from "./jmeter-kernel.ts";
import { LABEL_TOO_LONG } from "../labels/label-table.ts";

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });
const latin1 = new TextDecoder("latin1");
const NOT_ASCII = /[\u0080-\u00ff]/;

/** Whether the fast path can read these columns: the outcome must be in one field. */
export function hasFastPath({ success, errorCount }: JmeterColumns): boolean {
  return success !== undefined || errorCount === undefined;
}

/**
 * Fast path: rows with plain numbers and one request. The kernel asks for new labels, and stops before any
 * other row; once that was read exactly, the kernel learns its label.
 */
export class JmeterFastRows {
  count = 0;
  readonly #columns: JmeterColumns;
  readonly #targets: JmeterCsvTargets;
  /** Of the last failed or slow row; reused, as there may be very many. */
  readonly #times = { timeMs: 0, elapsedMicros: 0 };
  /** Where the rows of the last `read` end. */
  #readTo = 0;
  /** To read kept rows again. */
  readonly #record: CsvRecord;
  #minuteText: Uint8Array | undefined;

  constructor(columns: JmeterColumns, targets: JmeterCsvTargets) {
    this.#columns = columns;
    this.#record = new CsvRecord(columns.delimiter);
    this.#targets = targets;
    const { kernel, facets } = targets;
    const places = facets.columns.map(([, name]) => columns.names.indexOf(name));
    kernel.useColumns(
      columns,
      places.filter((place) => place >= 0),
    );
    kernel.facetsOf = (row) => facets.setOf((name) => this.#valueIn(row, name));
    targets.kernel.labelOf = (...label) => this.#labelOf(...label);
  }

  /** Reads rows from position `from` of the kernel's window. Returns where the first unread row begins. */
  read(bytes: Uint8Array, from: number, to: number): number {
    const { kernel, rows } = this.#targets;
    for (let at = from; ;) {
      const before = rows.batch.rows;
      at = kernel.read(at, to);
      this.#readTo = at;
      this.count += rows.batch.rows - before + kernel.innerLines;
      this.#recordExtras(bytes);
      this.#measure(bytes, before);
      this.#placeRows(before);
      this.#keepSlowest(before);
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
    const { kernel, labels, measures, roles, timestamps } = this.#targets;
    const { label: column, hostname } = this.#columns;
    const { label, generator } = row.samples;
    const isKnown = !labels.isOverLimit(label) && !roles.mustBeClassified(label);
    if (isKnown) {
      const role = roles.roleIndexOf(label);
      measures.settleRole(label, roles.isWhole(label));
      // As it is written, with its quotes.
      const from = start + record.from(column);
      const isBare = kernel.window[from - 1] !== QUOTE || from === start;
      const marks = isBare ? 0 : 1;
      kernel.learnLabel(from - marks, start + record.to(column) + marks, { label, role });
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

  /** Returns the value of a label of a request for the kernel, or `UNKNOWN` if its row must be read exactly. */
  #labelOf(from: number, to: number): number {
    const { kernel, labels, measures, roles } = this.#targets;
    // Perhaps of a monitor, which has no label of requests.
    if (isMonitorLabel(latin1.decode(kernel.window.subarray(from, to)))) return UNKNOWN;
    const label = labels.indexOf(kernel.window, from, to);
    const isWhole = label !== LABEL_TOO_LONG && !labels.isUndecodable(label);
    const isKnown = isWhole && !labels.isOverLimit(label);
    if (!isKnown || !roles.takeLabel(label)) return UNKNOWN;
    measures.settleRole(label, roles.isWhole(label));
    return labelValue(label, roles.roleIndexOf(label));
  }

  /** Last, as the kernel knows labels only. */
  #placeRows(from: number): void {
    const { kernel, rows, facets } = this.#targets;
    if (facets.columns.length === 0) return;
    facets.labels.place(rows.batch.label, kernel.facets, from, rows.batch.rows);
  }

  #seriesOf(label: number, row: number): number {
    const { kernel, facets } = this.#targets;
    return facets.labels.series(label, kernel.facets[row] as number);
  }

  /** A column of the row at `row`. */
  #valueIn(row: number, name: string): FieldAt | undefined {
    const column = this.#columns.names.indexOf(name);
    if (column < 0) return undefined;
    const raw = this.#written(this.#targets.kernel.window, row, column);
    const contents = isQuoted(raw, 0, raw.length) ? withoutQuotes(raw) : raw;
    return { bytes: contents, from: 0, to: contents.length };
  }

  #recordExtras(bytes: Uint8Array): void {
    const { kernel, rows, extras, kept } = this.#targets;
    const { label, second } = rows.batch;
    kernel.eachUsers((generator, userSecond, active) =>
      extras.recordUsers(generator, userSecond, active),
    );
    kernel.eachFailure((row, at, kind) => {
      const [ofLabel, atSecond] = [label[row] as number, second[row] as number];
      const series = this.#seriesOf(ofLabel, row);
      if (kind !== undefined) extras.repeatFailure(series, atSecond, kind);
      else {
        const failed = { label: ofLabel, series, second: atSecond, requests: 1 };
        this.#recordFailure(bytes, at, failed);
      }
      if (kept === undefined) return;
      const named = kind === undefined ? extras.lastKind : extras.failureKinds[kind];
      this.#keep(row, series, named);
    });
  }

  /** Offers the rows from `from` on that have passed and are slow. */
  #keepSlowest(from: number): void {
    const { rows, kept } = this.#targets;
    if (kept === undefined) return;
    const { label, elapsedMicros, failedRequests, rows: end } = rows.batch;
    let { slowestFrom } = kept;
    for (let row = from; row < end; row++) {
      const slowest = slowestFrom[label[row] as number] ?? 0;
      if ((elapsedMicros[row] as number) < slowest || failedRequests[row] !== 0) continue;
      this.#keep(row, label[row] as number, undefined);
      slowestFrom = kept.slowestFrom;
    }
  }

  #keep(row: number, series: number, kind: FailureKind | undefined): void {
    const { kernel, rows, kept } = this.#targets;
    const { batch } = rows;
    const second = batch.second[row] as number;
    const times = this.#times;
    times.timeMs = second === 0 ? 0 : second * 1000 + (kernel.millis[row] as number);
    times.elapsedMicros = batch.elapsedMicros[row] as number;
    if (kept?.wants(series, times, kind) !== true) return;
    const { timeMs, elapsedMicros } = times;
    const to = row + 1 < batch.rows ? kernel.placeOf(row + 1) : this.#readTo;
    const written = kernel.window.toString("latin1", kernel.placeOf(row), to);
    kept.add(series, {
      timeMs,
      elapsedMicros,
      kind,
      bytes: written.length,
      read: () => this.#detailsOf(written, { timeMs, elapsedMicros }, kind),
    });
  }

  /** `written`: the row, a character for each byte. */
  #detailsOf(written: string, times: SampleTimes, kind: FailureKind | undefined): RequestDetails {
    const [columns, record] = [this.#columns, this.#record];
    const bytes = Buffer.from(written, "latin1");
    const isAscii = !NOT_ASCII.test(written);
    record.begin();
    record.scan(bytes, 0, bytes.length);
    const textOf = (column: number | undefined): string => {
      if (column === undefined) return "";
      if (isAscii && !record.isIrregular(column)) {
        return written.slice(record.from(column), record.to(column));
      }
      return utf8.decode(record.contents(bytes, 0, column));
    };
    const details = jmeterDetails(times, kind, (name) => textOf(columns[name]));
    return { ...details, url: jmeterUrl(textOf(columns.url)) };
  }

  #measure(bytes: Uint8Array, from: number): void {
    const { kernel, rows, measures, roles } = this.#targets;
    const { label, second } = rows.batch;
    const isWhole = (ofLabel: number) => roles.isWhole(ofLabel);
    let done = from;
    const addUntil = (to: number) => {
      if (kernel.measured.length > 0) {
        measures.addRows(rows.batch, [done, to], kernel.measured, isWhole);
      }
      done = to;
    };
    // In the order of the rows, which decides what is stored beyond the limit of series.
    kernel.eachCode((row, at, number) => {
      addUntil(row + 1);
      const [ofLabel, atSecond] = [label[row] as number, second[row] as number];
      if (!isWhole(ofLabel)) return;
      if (number !== undefined) measures.repeatCode(atSecond, number);
      else this.#recordCode(bytes, at, ofLabel, atSecond);
    });
    addUntil(rows.batch.rows);
  }

  #field(bytes: Uint8Array, row: number, column: number | undefined): FieldAt | undefined {
    if (column === undefined) return undefined;
    const { from, to } = fieldsFrom(bytes, row, column, this.#columns.delimiter);
    if (!isQuoted(bytes, from, to) || hasDoubledQuote(bytes, from, to)) return { bytes, from, to };
    return { bytes, from: from + 1, to: to - 1 };
  }

  /** Parses the row at `row` again, and teaches the kernel why such rows fail. */
  #recordFailure(bytes: Uint8Array, row: number, failed: FailedRow): void {
    const { responseCode, responseMessage, failureMessage } = this.#columns;
    const texts = [responseCode, responseMessage, failureMessage].map((column) =>
      this.#written(bytes, row, column),
    );
    const [code = "", message = "", ofAssertion = ""] = texts.map((text) => this.#textOf(text));
    const failure = { responseCode: code, responseMessage: message, failureMessage: ofAssertion };
    const { extras, kernel } = this.#targets;
    const kind = extras.recordFailure(failed, failure);
    if (kind !== undefined) kernel.learnKind(failed.label, texts, kind);
  }

  /** The same for the code of a passed row. */
  #recordCode(bytes: Uint8Array, row: number, label: number, second: number): void {
    const code = this.#written(bytes, row, this.#columns.responseCode);
    const { measures, kernel } = this.#targets;
    const number = measures.addCode(label, second, 1, this.#textOf(code));
    kernel.learnCode(label, code, number);
  }

  #written(bytes: Uint8Array, row: number, column: number | undefined): Uint8Array {
    if (column === undefined) return bytes.subarray(0, 0);
    const { from, to } = fieldsFrom(bytes, row, column, this.#columns.delimiter);
    return bytes.subarray(from, to);
  }

  #textOf(raw: Uint8Array): string {
    const contents = isQuoted(raw, 0, raw.length) ? withoutQuotes(raw) : raw;
    return this.#targets.extras.textAt(contents, 0, contents.length);
  }
}

/** Field `column` of the row at `row`, which the kernel has read, as it is written. */
function fieldsFrom(bytes: Uint8Array, row: number, column: number, delimiter: number) {
  let from = row;
  for (let left = column; left > 0; left--) from = fieldEnd(bytes, from, delimiter) + 1;
  return { from, to: withoutReturn(bytes, from, fieldEnd(bytes, from, delimiter)) };
}

/** End of the field at `from`. */
function fieldEnd(bytes: Uint8Array, from: number, delimiter: number): number {
  let at = from;
  if (bytes[from] === QUOTE) {
    for (at += 1; bytes[at] !== QUOTE || bytes[at + 1] === QUOTE; at++) {
      if (bytes[at] === QUOTE) at += 1;
    }
  }
  while (bytes[at] !== delimiter && bytes[at] !== LINE_FEED) at++;
  return at;
}

function isQuoted(bytes: Uint8Array, from: number, to: number): boolean {
  return to > from && bytes[from] === QUOTE;
}

function hasDoubledQuote(bytes: Uint8Array, from: number, to: number): boolean {
  return bytes.subarray(from + 1, to - 1).includes(QUOTE);
}

/** Excludes a carriage return before the line feed at `to`. */
function withoutReturn(bytes: Uint8Array, from: number, to: number): number {
  if (bytes[to] !== LINE_FEED) return to;
  return to > from && bytes[to - 1] === CARRIAGE_RETURN ? to - 1 : to;
}
