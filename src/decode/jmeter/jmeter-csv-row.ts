import type { Role } from "../../model/role.ts";
import { type CsvRecord, fieldCounts } from "../csv/csv-record.ts";
import { type FoundFields, type JmeterColumns, findFields } from "./jmeter-csv-columns.ts";
import type { JmeterCsvTargets } from "./jmeter-csv-roles.ts";
import {
  COLUMNS,
  FIELD,
  type Field,
  type FieldAt,
  JmeterFields,
  rowKind,
} from "./jmeter-fields.ts";
import { isMonitorLabel, jmeterDetails, jmeterUrl } from "./jmeter-extras.ts";
import type { JmeterLabel } from "./jmeter-label.ts";
import { type MeasuredRow, USUAL_CODE } from "./jmeter-measures.ts";
import { readAtOnce } from "../../model/samples/request-sample.ts";
import { JmeterSamples } from "./jmeter-samples.ts";

/** Slow path: reads any row exactly. */
export class JmeterCsvRow {
  readonly #targets: JmeterCsvTargets;
  readonly #record: CsvRecord;
  readonly #fields = new JmeterFields();
  /** For a row with too many or too few fields. */
  #found: FoundFields | undefined;
  readonly samples: JmeterSamples;
  /** @default labels as recorded */
  label: JmeterLabel | undefined;
  /** Whether the last row is one of a monitor. */
  isMonitor = false;
  /** Whether a line end is missing, so that the last field may be truncated. */
  isCut = false;

  constructor(targets: JmeterCsvTargets, record: CsvRecord) {
    this.#targets = targets;
    this.#record = record;
    this.samples = new JmeterSamples(targets, this.#fields, COLUMNS);
  }

  /** Records the row at `start`, or returns why not even its outcome can be read. */
  read(header: JmeterColumns, bytes: Uint8Array, start: number): string | undefined {
    if (this.#record.fields === header.fields) {
      this.#found = undefined;
      return this.#readRow(header, bytes, start);
    }
    const reason = fieldCounts(this.#record, header.fields);
    this.#found = findFields(header, this.#record, bytes, start);
    if (this.#found === undefined) return reason;
    if (this.#readRow(this.#found.columns, bytes, start) !== undefined) return reason;
    this.samples.repairs.add("fields-misplaced", reason);
    if (!this.#found.areTimesKnown) this.samples.repairs.add("start-unknown", reason);
    return undefined;
  }

  #readRow(columns: JmeterColumns, bytes: Uint8Array, start: number): string | undefined {
    const fields = this.#fields;
    fields.begin(bytes);
    if (this.#found?.areTimesKnown === false) fields.put(FIELD.elapsed, 0, 0);
    else {
      this.#put(FIELD.timeStamp, columns.timeStamp, start);
      this.#put(FIELD.elapsed, columns.elapsed, start);
    }
    this.#put(FIELD.label, columns.label, start);
    this.#put(FIELD.success, columns.success, start);
    this.#put(FIELD.bytes, columns.bytes, start);
    this.#put(FIELD.sampleCount, columns.sampleCount, start);
    this.#put(FIELD.errorCount, columns.errorCount, start);
    // Other fields with doubled quotes have no meaning and stay as written.
    fields.ownLabel = this.#ownLabel(columns, bytes, start);
    this.#put(FIELD.allThreads, columns.allThreads, start);
    this.#put(FIELD.hostname, columns.hostname, start);
    this.isMonitor = this.#isOfMonitor(columns, bytes, start);
    if (this.isMonitor) return this.samples.recordMonitor();
    const reason = this.samples.record(
      () => this.#roleOfOther(columns, bytes, start),
      (name) => this.#valueIn(columns.names.indexOf(name), bytes, start),
    );
    if (reason !== undefined) return reason;
    this.#recordRole(columns, bytes, start);
    const { failedRequests } = this.samples;
    this.#measure(columns, bytes, start);
    if (failedRequests > 0) this.#recordFailure(columns, bytes, start);
    if (this.#found === undefined) this.#keep(columns, bytes, start);
    return undefined;
  }

  #recordFailure(columns: JmeterColumns, bytes: Uint8Array, start: number): void {
    const { label, series, second, failedRequests } = this.samples;
    this.#targets.extras.recordFailure(
      { label, series, second, requests: failedRequests },
      {
        responseCode: this.#text(columns.responseCode, bytes, start),
        responseMessage: this.#text(columns.responseMessage, bytes, start),
        failureMessage: this.#text(columns.failureMessage, bytes, start),
      },
    );
  }

  #keep(columns: JmeterColumns, bytes: Uint8Array, start: number): void {
    const { kept, extras } = this.#targets;
    const { series, requests, failedRequests } = this.samples;
    const kind = failedRequests > 0 ? extras.lastKind : undefined;
    if (requests !== 1 || kept?.wants(series, this.samples, kind) !== true) return;
    const textOf = (column: number | undefined) => this.#text(column, bytes, start);
    const details = jmeterDetails(this.samples, kind, (name) => textOf(columns[name]));
    kept.add(series, readAtOnce({ ...details, url: jmeterUrl(textOf(columns.url)) }));
  }

  /** PerfMon runs outside of threads. */
  #isOfMonitor(columns: JmeterColumns, bytes: Uint8Array, start: number): boolean {
    const { threadName, allThreads } = columns;
    const thread = this.#field(threadName, bytes, start);
    if (thread !== undefined && thread.from < thread.to) return false;
    const threads = allThreads === undefined ? "" : this.#text(allThreads, bytes, start);
    const isOutside = allThreads === undefined ? thread !== undefined : threads === "0";
    return isOutside && isMonitorLabel(this.#text(columns.label, bytes, start));
  }

  #measure(columns: JmeterColumns, bytes: Uint8Array, start: number): void {
    const { label, second, requests, failedRequests } = this.samples;
    const { measures, roles } = this.#targets;
    const row = { label, second, requests, isWhole: roles.isWhole(label) };
    for (const [measure, column] of columns.measures.entries()) {
      const field = this.#field(column, bytes, start);
      if (field === undefined) continue;
      if (this.isCut && column === columns.fields - 1) measures.refuse(measure, row);
      else measures.addWritten(measure, row, field);
    }
    measures.endRow(row);
    this.#addVariables(row, columns, bytes, start);
    // Codes of rows that repeat others would count twice in those of the whole.
    if (!row.isWhole || failedRequests > 0 || columns.responseCode === undefined) return;
    const code = this.#text(columns.responseCode, bytes, start);
    if (code !== USUAL_CODE) measures.addCode(label, second, requests, code);
  }

  #addVariables(row: MeasuredRow, columns: JmeterColumns, bytes: Uint8Array, start: number): void {
    const { variables } = this.#targets;
    for (const variable of columns.variables) {
      if (!variables.wants(variable)) continue;
      const isWritten = !this.isCut || variable.column < columns.fields - 1;
      const contents = this.#record.contents(bytes, start, variable.column);
      variables.add(variable, row, isWritten ? contents : undefined);
    }
  }

  #recordRole(columns: JmeterColumns, bytes: Uint8Array, start: number): void {
    const { label, second, elapsedMicros } = this.samples;
    const { roles, labels, timestamps } = this.#targets;
    const { millis } = timestamps;
    if (labels.isOverLimit(label)) return;
    // Without its message, a damaged row of a transaction looks like a request.
    if (this.#found !== undefined && roles.roleOf(label) === "transaction") return;
    const isOwn = this.label === undefined;
    if (isOwn && roles.isSubresult(label)) return;
    const thread = this.#field(columns.threadName, bytes, start);
    if (isOwn && roles.isRequest(label)) {
      roles.takeRequest(label, second, millis, elapsedMicros);
      roles.takeThread(thread);
      return;
    }
    const kind = rowKind(
      this.#field(columns.responseMessage, bytes, start),
      this.#field(columns.dataType, bytes, start),
    );
    if (kind === "transaction") {
      roles.takeTransaction(label);
      return;
    }
    const name = isOwn ? labels.textOf(label) : this.#text(columns.label, bytes, start);
    const times = { label, second, millis, elapsedMicros };
    if (kind === "unmarked") roles.takeUnmarked(times, name, thread);
    else roles.takeOther(times, name, thread);
  }

  /** What a row is whose label is over the limit. */
  #roleOfOther(columns: JmeterColumns, bytes: Uint8Array, start: number): Role {
    const { roles, labels, timestamps } = this.#targets;
    const kind = rowKind(
      this.#field(columns.responseMessage, bytes, start),
      this.#field(columns.dataType, bytes, start),
    );
    const name =
      this.label === undefined ? labels.overLimitText : this.#text(columns.label, bytes, start);
    const { second, elapsedMicros } = this.samples;
    const times = { second, millis: timestamps.millis, elapsedMicros };
    const role = roles.takeNameless(kind, times, {
      name,
      thread: this.#field(columns.threadName, bytes, start),
    });
    roles.say(labels.overflowFor(role), role);
    return role;
  }

  #ownLabel(columns: JmeterColumns, bytes: Uint8Array, start: number): Uint8Array | undefined {
    const record = this.#record;
    const found = this.#found;
    if (this.label !== undefined) {
      return this.label.labelOf((column) => {
        const place = found === undefined ? column : found.placeOf(column);
        return place === undefined ? undefined : record.contents(bytes, start, place);
      });
    }
    if (found !== undefined && found.labelEnd > columns.label + 1) {
      const to = record.to(found.labelEnd - 1);
      return bytes.subarray(start + record.from(columns.label), start + to);
    }
    if (!record.isIrregular(columns.label)) return undefined;
    return record.contents(bytes, start, columns.label);
  }

  #valueIn(column: number, bytes: Uint8Array, start: number): FieldAt | undefined {
    const place = this.#found === undefined ? column : this.#found.placeOf(column);
    if (place === undefined || place < 0) return undefined;
    const contents = this.#record.contents(bytes, start, place);
    return { bytes: contents, from: 0, to: contents.length };
  }

  #field(column: number | undefined, bytes: Uint8Array, start: number): FieldAt | undefined {
    if (column === undefined) return undefined;
    const record = this.#record;
    return { bytes, from: start + record.from(column), to: start + record.to(column) };
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
