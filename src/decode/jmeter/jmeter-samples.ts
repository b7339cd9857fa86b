import type { Role } from "../../model/role.ts";
import { LABEL_BYTES_MAX } from "../decoder.ts";
import { readScaled, readWhole } from "../bytes/exact-number.ts";
import { endSecondOf, type JmeterExtras } from "./jmeter-extras.ts";
import { FIELD, type Field, type FieldNames, type JmeterFields } from "./jmeter-fields.ts";
import { LABEL_TOO_LONG, type LabelTable } from "../labels/label-table.ts";
import { quoted } from "../quoted.ts";
import type { SampleRows } from "../sample-rows.ts";
import type { TimestampReader } from "../bytes/timestamp.ts";

/** Requests that one row can stand for: what a column of a batch holds. */
const REQUESTS_MAX = 2 ** 32 - 1;

const TRUE = "true";
/** Makes an ASCII letter a small one. */
const LOWER_CASE = 0x20;
const utf8 = new TextDecoder();

/** Where the values of samples go and what they are looked up in. */
export interface JmeterTargets {
  readonly extras: JmeterExtras;
  readonly rows: SampleRows;
  readonly labels: LabelTable;
  readonly timestamps: TimestampReader;
  /** @default labels as JMeter has recorded them */
  readonly labelTemplate: string | undefined;
}

/** Reads samples exactly, one at a time, whatever is written in their fields. */
export class JmeterSamples {
  /** Whether a sample was recorded that lacks what the name says. */
  lacksTimeStamp = false;
  lacksSuccess = false;
  lacksSize = false;
  /** Whether a sample was recorded that has a size. */
  hasSize = false;
  /** Whether one was recorded whose size is there but empty. */
  hasEmptySize = false;
  /** Of the sample recorded last. */
  label = 0;
  second = 0;
  elapsedMicros = 0;
  failedRequests = 0;
  /** The generator whose users were told by it; `undefined` where none were. */
  generator: number | undefined;
  readonly #targets: JmeterTargets;
  readonly #fields: JmeterFields;
  readonly #names: FieldNames;
  /** The first thing that is wrong with the sample. */
  #complaint: string | undefined;

  constructor(targets: JmeterTargets, fields: JmeterFields, names: FieldNames) {
    this.#targets = targets;
    this.#fields = fields;
    this.#names = names;
  }

  /**
   * Records the sample that the fields are set to, or returns why it cannot be read. `roleOf` says
   * what it is, all else of it being known, where its label is over the limit.
   */
  record(roleOf: () => Role): string | undefined {
    this.#complaint = undefined;
    const { rows } = this.#targets;
    const { batch } = rows;
    const row = batch.rows;
    batch.second[row] = this.#second();
    batch.elapsedMicros[row] = this.#elapsedMicros();
    batch.receivedBytes[row] = this.#receivedBytes();
    const requests = this.#requests();
    batch.requests[row] = requests;
    batch.failedRequests[row] = this.#failedRequests(requests);
    if (this.#complaint !== undefined) return this.#complaint;
    // Last, so that a sample that cannot be read leaves no label behind.
    const index = this.#label();
    if (index === LABEL_TOO_LONG) {
      return `the label is too long: got ${quoted(this.#text(FIELD.label))}, want at most ${LABEL_BYTES_MAX} bytes`;
    }
    this.#noteLacks();
    this.second = batch.second[row];
    this.elapsedMicros = batch.elapsedMicros[row];
    this.failedRequests = batch.failedRequests[row];
    const { labels } = this.#targets;
    this.label = labels.isOverLimit(index) ? labels.overflowFor(roleOf()) : index;
    batch.label[row] = this.label;
    this.#tellUsers(this.elapsedMicros);
    rows.advance();
    return undefined;
  }

  /** Threads are not what a sample is read for: where they cannot be read, nothing is told. */
  #tellUsers(elapsedMicros: number): void {
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
    extras.tellUsers(this.generator, second, active);
  }

  #second(): number {
    const fields = this.#fields;
    if (!fields.has(FIELD.timeStamp)) return 0;
    const { timestamps } = this.#targets;
    const [from, to] = [fields.from(FIELD.timeStamp), fields.to(FIELD.timeStamp)];
    const second = timestamps.read(fields.bytes, from, to);
    return second ?? this.#complain(FIELD.timeStamp, timestamps.wanted);
  }

  #elapsedMicros(): number {
    const fields = this.#fields;
    if (!fields.has(FIELD.elapsed)) {
      this.#complaint ??= `there is no ${this.#names[FIELD.elapsed]}`;
      return 0;
    }
    const [from, to] = [fields.from(FIELD.elapsed), fields.to(FIELD.elapsed)];
    const micros = readScaled(fields.bytes, from, to, 3);
    return (
      micros ?? this.#complain(FIELD.elapsed, this.#wantedNumber(FIELD.elapsed, "milliseconds"))
    );
  }

  #receivedBytes(): number {
    return this.#hasSize() ? this.#whole(FIELD.bytes, "bytes") : 0;
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

  /** A row of one request says itself whether it failed; the error count is for rows of several. */
  #failedRequests(requests: number): number {
    const fields = this.#fields;
    const hasSuccess = fields.has(FIELD.success);
    if (!fields.has(FIELD.errorCount) || (requests === 1 && hasSuccess)) {
      return hasSuccess && !this.#isTrue() ? requests : 0;
    }
    const failed = this.#whole(FIELD.errorCount, "samples");
    if (failed <= requests) return failed;
    return this.#complain(FIELD.errorCount, `at most the ${requests} samples of the row`);
  }

  #isTrue(): boolean {
    const { bytes } = this.#fields;
    const from = this.#fields.from(FIELD.success);
    if (this.#fields.to(FIELD.success) - from !== TRUE.length) return false;
    for (let at = 0; at < TRUE.length; at++) {
      if (((bytes[from + at] as number) | LOWER_CASE) !== TRUE.charCodeAt(at)) return false;
    }
    return true;
  }

  #label(): number {
    const { labels } = this.#targets;
    const { ownLabel, bytes } = this.#fields;
    if (ownLabel !== undefined) return labels.indexOf(ownLabel, 0, ownLabel.length);
    if (!this.#fields.has(FIELD.label)) return labels.indexOfText("");
    return labels.indexOf(bytes, this.#fields.from(FIELD.label), this.#fields.to(FIELD.label));
  }

  #whole(field: Field, unit: string): number {
    const value = readWhole(this.#fields.bytes, this.#fields.from(field), this.#fields.to(field));
    return value ?? this.#complain(field, this.#wantedNumber(field, unit));
  }

  #noteLacks(): void {
    if (!this.#fields.has(FIELD.timeStamp)) this.lacksTimeStamp = true;
    if (!this.#fields.has(FIELD.success) && !this.#fields.has(FIELD.errorCount)) {
      this.lacksSuccess = true;
    }
    this.hasSize ||= this.#hasSize();
    if (!this.#fields.has(FIELD.bytes)) this.lacksSize = true;
    else if (!this.#hasSize()) this.hasEmptySize = true;
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

  /** Keeps the first complaint about the sample; the value returned is not used. */
  #complain(field: Field, wanted: string): number {
    const got = quoted(this.#text(field));
    this.#complaint ??= `cannot read ${this.#names[field]}: got ${got}, want ${wanted}`;
    return 0;
  }
}
