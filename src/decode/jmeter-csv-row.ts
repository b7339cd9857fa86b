import type { CsvRecord } from "./csv-record.ts";
import { LABEL_BYTES_MAX } from "./decoder.ts";
import { readScaled, readWhole } from "./exact-number.ts";
import type { JmeterColumns } from "./jmeter-csv-columns.ts";
import { LABEL_TOO_LONG, type LabelTable } from "./label-table.ts";
import { quoted } from "./quoted.ts";
import type { SampleRows } from "./sample-rows.ts";
import type { TimestampReader } from "./timestamp.ts";

/** Requests that one row can stand for: what a column of a batch holds. */
const REQUESTS_MAX = 2 ** 32 - 1;

const TRUE = new TextEncoder().encode("true");
/** Makes an ASCII letter a small one. */
const LOWER_CASE = 0x20;
const utf8 = new TextDecoder();

/** Where the values of rows go and what they are looked up in. */
export interface JmeterRowTargets {
  readonly rows: SampleRows;
  readonly labels: LabelTable;
  readonly timestamps: TimestampReader;
}

/** Reads any row exactly, one at a time: quoted, odd or wrong. */
export class JmeterCsvRow {
  /** Whether a row was recorded whose size field was empty; it counts as 0 bytes. */
  sawEmptySize = false;
  readonly #targets: JmeterRowTargets;
  /** The first thing that is wrong with the row. */
  #complaint: string | undefined;
  #record: CsvRecord;
  #bytes: Uint8Array = new Uint8Array(0);
  #start = 0;

  constructor(targets: JmeterRowTargets, record: CsvRecord) {
    this.#targets = targets;
    this.#record = record;
  }

  /** Records the row that `record` has found at `start`, or returns why it cannot be read. */
  read(columns: JmeterColumns, bytes: Uint8Array, start: number): string | undefined {
    const { rows } = this.#targets;
    if (this.#record.fields !== columns.fields) {
      return fieldCounts(this.#record.fields, columns.fields);
    }
    this.#bytes = bytes;
    this.#start = start;
    this.#complaint = undefined;
    const { batch } = rows;
    const row = batch.rows;
    batch.second[row] = this.#second(columns.timeStamp);
    batch.elapsedMicros[row] = this.#elapsedMicros(columns.elapsed);
    batch.receivedBytes[row] = this.#receivedBytes(columns.bytes);
    const requests = this.#requests(columns.sampleCount);
    batch.requests[row] = requests;
    batch.failedRequests[row] = this.#failedRequests(columns, requests);
    if (this.#complaint !== undefined) return this.#complaint;
    // Last, so that a row that cannot be read leaves no label behind.
    const index = this.#label(columns.label);
    if (index === LABEL_TOO_LONG) {
      return `the label is too long: got ${quoted(this.#text(columns.label))}, want at most ${LABEL_BYTES_MAX} bytes`;
    }
    batch.label[row] = index;
    rows.advance();
    return undefined;
  }

  #second(index: number | undefined): number {
    if (index === undefined) return 0;
    const { timestamps } = this.#targets;
    const second = timestamps.read(this.#bytes, this.#from(index), this.#to(index));
    return second ?? this.#complain("timeStamp", index, timestamps.wanted);
  }

  #elapsedMicros(index: number): number {
    const micros = readScaled(this.#bytes, this.#from(index), this.#to(index), 3);
    return micros ?? this.#complain("elapsed", index, this.#wantedNumber(index, "milliseconds"));
  }

  #receivedBytes(index: number | undefined): number {
    if (index === undefined) return 0;
    if (this.#from(index) === this.#to(index)) {
      this.sawEmptySize = true;
      return 0;
    }
    return this.#whole("bytes", index, "bytes");
  }

  #requests(index: number | undefined): number {
    if (index === undefined) return 1;
    const requests = this.#whole("SampleCount", index, "samples");
    if (requests >= 1 && requests <= REQUESTS_MAX) return requests;
    return this.#complain("SampleCount", index, `a number from 1 to ${REQUESTS_MAX}`);
  }

  /** A row of one request says itself whether it failed; ErrorCount is for rows of several. */
  #failedRequests({ errorCount, success }: JmeterColumns, requests: number): number {
    if (errorCount === undefined || (requests === 1 && success !== undefined)) {
      return success === undefined || this.#isTrue(success) ? 0 : requests;
    }
    const failed = this.#whole("ErrorCount", errorCount, "samples");
    if (failed <= requests) return failed;
    return this.#complain("ErrorCount", errorCount, `at most the SampleCount of ${requests}`);
  }

  #isTrue(index: number): boolean {
    const from = this.#from(index);
    return (
      this.#to(index) - from === TRUE.length &&
      TRUE.every((letter, at) => {
        return ((this.#bytes[from + at] as number) | LOWER_CASE) === letter;
      })
    );
  }

  #label(index: number): number {
    const { labels } = this.#targets;
    if (!this.#record.isIrregular(index)) {
      return labels.indexOf(this.#bytes, this.#from(index), this.#to(index));
    }
    const label = this.#record.contents(this.#bytes, this.#start, index);
    return labels.indexOf(label, 0, label.length);
  }

  #whole(column: string, index: number, unit: string): number {
    const value = readWhole(this.#bytes, this.#from(index), this.#to(index));
    return value ?? this.#complain(column, index, this.#wantedNumber(index, unit));
  }

  /** Where a number is. It holds no quotes, so an irregular field is read with them, as none. */
  #from(index: number): number {
    return this.#start + this.#record.from(index);
  }

  #to(index: number): number {
    return this.#start + this.#record.to(index);
  }

  #wantedNumber(index: number, unit: string): string {
    const isTooLarge = /^\d{13,}(?:\.\d+)?$/.test(this.#text(index));
    return isTooLarge ? `a number of ${unit} below 2^53` : `a whole number of ${unit}`;
  }

  #text(index: number): string {
    return utf8.decode(this.#record.contents(this.#bytes, this.#start, index));
  }

  /** Keeps the first complaint about the row; the value returned is not used. */
  #complain(column: string, index: number, wanted: string): number {
    this.#complaint ??= `cannot read ${column}: got ${quoted(this.#text(index))}, want ${wanted}`;
    return 0;
  }
}

/** What is wrong with a row that has not as many fields as there are columns. */
export function fieldCounts(got: number, wanted: number): string {
  return `got ${got} ${got === 1 ? "field" : "fields"}, want ${wanted}`;
}
