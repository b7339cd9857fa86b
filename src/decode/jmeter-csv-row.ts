import type { CsvRecord } from "./csv-record.ts";
import { fieldCounts } from "./field-counts.ts";
import type { JmeterColumns } from "./jmeter-csv-columns.ts";
import { FIELD, type Field, type FieldNames, JmeterFields } from "./jmeter-fields.ts";
import type { JmeterLabel } from "./jmeter-label.ts";
import { JmeterSamples, type JmeterTargets } from "./jmeter-samples.ts";

const NAMES: FieldNames = [
  "timeStamp",
  "elapsed",
  "label",
  "success",
  "bytes",
  "SampleCount",
  "ErrorCount",
  "responseCode",
  "responseMessage",
  "allThreads",
  "Hostname",
];

/** Reads any row exactly, one at a time: quoted, odd or wrong. */
export class JmeterCsvRow {
  readonly #targets: JmeterTargets;
  readonly #record: CsvRecord;
  readonly #fields = new JmeterFields();
  readonly #samples: JmeterSamples;
  #label: JmeterLabel | undefined;

  constructor(targets: JmeterTargets, record: CsvRecord) {
    this.#targets = targets;
    this.#record = record;
    this.#samples = new JmeterSamples(targets, this.#fields, NAMES);
  }

  /** Whether a row was recorded whose size is empty; it counts as 0 bytes. */
  get hasEmptySize(): boolean {
    return this.#samples.hasEmptySize;
  }

  /** Puts labels together like this from now on. */
  useLabel(label: JmeterLabel | undefined): void {
    this.#label = label;
  }

  /** Records the row that the record has found at `start`, or returns why it cannot be read. */
  read(columns: JmeterColumns, bytes: Uint8Array, start: number): string | undefined {
    if (this.#record.fields !== columns.fields) {
      return fieldCounts(this.#record, columns.fields);
    }
    const fields = this.#fields;
    fields.begin(bytes);
    this.#put(FIELD.timeStamp, columns.timeStamp, start);
    this.#put(FIELD.elapsed, columns.elapsed, start);
    this.#put(FIELD.label, columns.label, start);
    this.#put(FIELD.success, columns.success, start);
    this.#put(FIELD.bytes, columns.bytes, start);
    this.#put(FIELD.sampleCount, columns.sampleCount, start);
    this.#put(FIELD.errorCount, columns.errorCount, start);
    // Of the others, none that means something has doubled quotes: they are read as they stand.
    fields.ownLabel = this.#ownLabel(columns, bytes, start);
    this.#put(FIELD.allThreads, columns.allThreads, start);
    this.#put(FIELD.hostname, columns.hostname, start);
    const reason = this.#samples.record();
    const { label, second, failedRequests } = this.#samples;
    if (reason !== undefined || failedRequests === 0) return reason;
    this.#targets.extras.tellFailure(
      { label, second, requests: failedRequests },
      {
        responseCode: this.#text(columns.responseCode, bytes, start),
        responseMessage: this.#text(columns.responseMessage, bytes, start),
        failureMessage: this.#text(columns.failureMessage, bytes, start),
      },
    );
    return undefined;
  }

  #ownLabel(columns: JmeterColumns, bytes: Uint8Array, start: number): Uint8Array | undefined {
    const record = this.#record;
    if (this.#label !== undefined) {
      return this.#label.labelOf((column) => record.contents(bytes, start, column));
    }
    if (!record.isIrregular(columns.label)) return undefined;
    return record.contents(bytes, start, columns.label);
  }

  #text(column: number | undefined, bytes: Uint8Array, start: number): string {
    if (column === undefined) return "";
    const contents = this.#record.contents(bytes, start, column);
    return this.#targets.extras.textAt(contents, 0, contents.length);
  }

  #put(field: Field, column: number | undefined, start: number): void {
    if (column === undefined) return;
    this.#fields.put(field, start + this.#record.from(column), start + this.#record.to(column));
  }
}
