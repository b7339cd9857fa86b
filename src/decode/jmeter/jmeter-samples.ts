import type { RepairKind } from "../../model/quality/repairs.ts";
import type { Role } from "../../model/role.ts";
import { readScaled, readWhole } from "../bytes/exact-number.ts";
import { endSecondOf, type JmeterExtras, type JmeterMonitors } from "./jmeter-extras.ts";
import {
  FIELD,
  type Field,
  type FieldAt,
  type FieldNames,
  type JmeterFields,
} from "./jmeter-fields.ts";
import type { JmeterFacets } from "./jmeter-label.ts";
import type { JmeterMeasures } from "./jmeter-measures.ts";
import { LABEL_TOO_LONG, type LabelTable, labelTooLong } from "../labels/label-table.ts";
import { quoted } from "../quoted.ts";
import { RowRepairs } from "../row-repairs.ts";
import type { SampleRecorder } from "../decoder.ts";
import type { SampleRows } from "../sample-rows.ts";
import type { TimestampReader } from "../bytes/timestamp.ts";

/** Capacity of a batch column. */
const REQUESTS_MAX = 2 ** 32 - 1;

const TRUE = "true";
const FALSE = "false";
/** What other tools write for them; compared without case. */
const OTHER_TRUE: ReadonlySet<string> = new Set(["1", "yes"]);
const OTHER_FALSE: ReadonlySet<string> = new Set(["0", "no"]);
/** Bit of lower-case ASCII letters. */
const LOWER_CASE = 0x20;
const utf8 = new TextDecoder();

export interface JmeterTargets {
  readonly extras: JmeterExtras;
  readonly measures: JmeterMeasures;
  readonly monitors: JmeterMonitors;
  readonly rows: SampleRows;
  readonly labels: LabelTable;
  readonly facets: JmeterFacets;
  readonly timestamps: TimestampReader;
  /** Keeps some requests whole. */
  readonly kept: SampleRecorder | undefined;
  /** @default labels as recorded */
  readonly labelTemplate: string | undefined;
}

/** Slow path: records any sample exactly. */
export class JmeterSamples {
  lacksTimeStamp = false;
  lacksSuccess = false;
  hasSuccess = false;
  lacksSize = false;
  hasSize = false;
  hasEmptySize = false;
  /** What is unknown of the last sample. */
  readonly repairs = new RowRepairs();
  label = 0;
  /** The label with its facets. */
  series = 0;
  second = 0;
  elapsedMicros = 0;
  /** Start in ms since the epoch; 0: unknown. */
  timeMs = 0;
  requests = 0;
  failedRequests = 0;
  /** Generator of its users; `undefined` if none. */
  generator: number | undefined;
  readonly #targets: JmeterTargets;
  readonly #fields: JmeterFields;
  readonly #names: FieldNames;
  /** First fault of the sample. */
  #complaint: string | undefined;

  constructor(targets: JmeterTargets, fields: JmeterFields, names: FieldNames) {
    this.#targets = targets;
    this.#fields = fields;
    this.#names = names;
  }

  /**
   * Records the sample that the fields are set to, or returns why not even its outcome can be read. `roleOf` says
   * what it is, all else of it being known, where its label is over the limit; `valueAt` returns a column.
   */
  record(roleOf: () => Role, valueAt: (column: string) => FieldAt | undefined): string | undefined {
    this.#complaint = undefined;
    this.repairs.clear();
    const { rows } = this.#targets;
    const second = this.#second();
    const requests = this.#requests();
    const failedRequests = this.#failedRequests(requests);
    const elapsedMicros = this.#elapsedMicros();
    const receivedBytes = this.#receivedBytes() ?? 0;
    if (this.#complaint !== undefined) return this.#complaint;
    // Last, so that an unreadable sample adds no label.
    const index = this.#label();
    this.#noteLacks();
    this.second = second;
    this.elapsedMicros = elapsedMicros ?? 0;
    this.timeMs = second === 0 ? 0 : second * 1000 + this.#targets.timestamps.millis;
    this.requests = requests;
    this.failedRequests = failedRequests;
    const { labels } = this.#targets;
    this.label = labels.isOverLimit(index) ? labels.overflowFor(roleOf()) : index;
    const { facets } = this.#targets;
    this.series = facets.labels.series(this.label, facets.setOf(valueAt));
    this.#recordUsers(this.elapsedMicros);
    if (elapsedMicros === undefined) {
      rows.addUntimed(this.series, second, { requests, failedRequests, receivedBytes });
      return undefined;
    }
    const { batch } = rows;
    const row = batch.rows;
    batch.label[row] = this.series;
    batch.second[row] = second;
    batch.elapsedMicros[row] = elapsedMicros;
    batch.receivedBytes[row] = receivedBytes;
    batch.requests[row] = requests;
    batch.failedRequests[row] = failedRequests;
    rows.advance();
    return undefined;
  }

  /** Records the sample that the fields are set to as one of a monitor, or returns why it cannot be read. */
  recordMonitor(): string | undefined {
    this.#complaint = undefined;
    this.repairs.clear();
    const second = this.#second();
    if (this.#complaint !== undefined) return this.#complaint;
    const { monitors, timestamps } = this.#targets;
    const unixMillis = second === 0 ? Number.NaN : second * 1000 + timestamps.millis;
    monitors.add(this.#text(FIELD.label), this.#text(FIELD.elapsed), unixMillis);
    return undefined;
  }

  /** Unreadable thread counts are ignored. */
  #recordUsers(elapsedMicros: number): void {
    const { bytes } = this.#fields;
    this.generator = undefined;
    const [from, to] = [this.#fields.from(FIELD.allThreads), this.#fields.to(FIELD.allThreads)];
    if (this.second === 0 || !this.#fields.has(FIELD.allThreads)) return;
    const active = readWhole(bytes, from, to);
    if (active === undefined) return;
    const { extras, timestamps } = this.#targets;
    const [hostFrom, hostTo] = this.#fields.has(FIELD.hostname)
      ? [this.#fields.from(FIELD.hostname), this.#fields.to(FIELD.hostname)]
      : [0, 0];
    this.generator = extras.generatorAt(bytes, hostFrom, hostTo);
    const second = endSecondOf(this.second, timestamps.millis, elapsedMicros);
    extras.recordUsers(this.generator, second, active);
  }

  #second(): number {
    const fields = this.#fields;
    if (!fields.has(FIELD.timeStamp)) return 0;
    const { timestamps } = this.#targets;
    const [from, to] = [fields.from(FIELD.timeStamp), fields.to(FIELD.timeStamp)];
    const second = timestamps.read(fields.bytes, from, to);
    return second ?? this.#complain(FIELD.timeStamp, timestamps.wanted);
  }

  /** `undefined` if it is unknown. */
  #elapsedMicros(): number | undefined {
    const fields = this.#fields;
    if (!fields.has(FIELD.elapsed)) {
      this.#complaint ??= `there is no ${this.#names[FIELD.elapsed]}`;
      return undefined;
    }
    const [from, to] = [fields.from(FIELD.elapsed), fields.to(FIELD.elapsed)];
    const micros = readScaled(fields.bytes, from, to, 3);
    if (micros === undefined) {
      this.#repair(
        "time-unknown",
        FIELD.elapsed,
        this.#wantedNumber(FIELD.elapsed, "milliseconds"),
      );
    }
    return micros;
  }

  /** `undefined` if it is unknown. */
  #receivedBytes(): number | undefined {
    if (!this.#hasSize()) return 0;
    const fields = this.#fields;
    const size = readWhole(fields.bytes, fields.from(FIELD.bytes), fields.to(FIELD.bytes));
    if (size === undefined) {
      this.#repair("size-unknown", FIELD.bytes, this.#wantedNumber(FIELD.bytes, "bytes"));
    }
    return size;
  }

  #hasSize(): boolean {
    const fields = this.#fields;
    return fields.has(FIELD.bytes) && fields.from(FIELD.bytes) < fields.to(FIELD.bytes);
  }

  #requests(): number {
    if (!this.#fields.has(FIELD.sampleCount)) return 1;
    const requests = this.#whole(FIELD.sampleCount, "samples");
    if (requests >= 1 && requests <= REQUESTS_MAX) return requests;
    return this.#complain(FIELD.sampleCount, `a number from 1 to ${REQUESTS_MAX}`);
  }

  /** The error count is for rows of several requests only. */
  #failedRequests(requests: number): number {
    const fields = this.#fields;
    const hasSuccess = fields.has(FIELD.success);
    if (!fields.has(FIELD.errorCount) || (requests === 1 && hasSuccess)) {
      return hasSuccess && !this.#isSuccess() ? requests : 0;
    }
    const failed = this.#whole(FIELD.errorCount, "samples");
    if (failed <= requests) return failed;
    return this.#complain(FIELD.errorCount, `at most the ${requests} samples of the row`);
  }

  #isSuccess(): boolean {
    if (this.#successIs(TRUE)) return true;
    if (this.#successIs(FALSE)) return false;
    const text = this.#text(FIELD.success).toLowerCase();
    if (OTHER_TRUE.has(text)) return true;
    if (!OTHER_FALSE.has(text)) this.#complain(FIELD.success, "true or false");
    return false;
  }

  /** Compares without case; `text` is in lower case. */
  #successIs(text: string): boolean {
    const { bytes } = this.#fields;
    const from = this.#fields.from(FIELD.success);
    if (this.#fields.to(FIELD.success) - from !== text.length) return false;
    for (let at = 0; at < text.length; at++) {
      if (((bytes[from + at] as number) | LOWER_CASE) !== text.charCodeAt(at)) return false;
    }
    return true;
  }

  #label(): number {
    const { labels } = this.#targets;
    const fields = this.#fields;
    const { ownLabel } = fields;
    if (ownLabel !== undefined) return this.#labelAt(ownLabel, 0, ownLabel.length);
    if (!fields.has(FIELD.label)) return labels.indexOfText("");
    return this.#labelAt(fields.bytes, fields.from(FIELD.label), fields.to(FIELD.label));
  }

  #labelAt(bytes: Uint8Array, from: number, to: number): number {
    const { labels } = this.#targets;
    const index = labels.indexOf(bytes, from, to);
    if (index === LABEL_TOO_LONG) {
      const reason = labelTooLong(this.#text(FIELD.label));
      this.repairs.add("label-shortened", reason);
      return labels.indexOfTooLong();
    }
    if (labels.isUndecodable(index)) {
      const reason = this.#unreadable(FIELD.label, "UTF-8");
      this.repairs.add("text-undecodable", reason);
    }
    return index;
  }

  #whole(field: Field, unit: string): number {
    const value = readWhole(this.#fields.bytes, this.#fields.from(field), this.#fields.to(field));
    return value ?? this.#complain(field, this.#wantedNumber(field, unit));
  }

  #noteLacks(): void {
    if (!this.#fields.has(FIELD.timeStamp)) this.lacksTimeStamp = true;
    if (this.hasOutcome) this.hasSuccess = true;
    else this.lacksSuccess = true;
    this.hasSize ||= this.#hasSize();
    if (!this.#fields.has(FIELD.bytes)) this.lacksSize = true;
    else if (!this.#hasSize()) this.hasEmptySize = true;
  }

  /** Whether the sample that the fields are set to has an outcome. */
  get hasOutcome(): boolean {
    return this.#fields.has(FIELD.success) || this.#fields.has(FIELD.errorCount);
  }

  #wantedNumber(field: Field, unit: string): string {
    const isTooLarge = /^\d{13,}(?:\.\d+)?$/.test(this.#text(field));
    return isTooLarge ? `a number of ${unit} below 2^53` : `a whole number of ${unit}`;
  }

  #text(field: Field): string {
    const { bytes, ownLabel } = this.#fields;
    if (field === FIELD.label && ownLabel !== undefined) return utf8.decode(ownLabel);
    return utf8.decode(bytes.subarray(this.#fields.from(field), this.#fields.to(field)));
  }

  /** Records what is unknown of a sample; its first fault, if its outcome is not known either. */
  #repair(kind: RepairKind, field: Field, wanted: string): void {
    if (!this.hasOutcome) this.#complain(field, wanted);
    else this.repairs.add(kind, this.#unreadable(field, wanted));
  }

  /** Records the first fault; the returned value is unused. */
  #complain(field: Field, wanted: string): number {
    this.#complaint ??= this.#unreadable(field, wanted);
    return 0;
  }

  #unreadable(field: Field, wanted: string): string {
    return `cannot read ${this.#names[field]}: got ${quoted(this.#text(field))}, want ${wanted}`;
  }
}
