import { SECOND_LIMIT } from "../../model/second-range.ts";
import type { FailureKind } from "../../model/failures.ts";
import { BytesCache } from "../bytes/byte-table.ts";
import type { SampleSink } from "../decoder.ts";
import { FailureKinds, failureNotes } from "../failure-kinds.ts";
import { LABEL_TOO_LONG, LabelTable } from "../labels/label-table.ts";

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** A power of two. Samples are written as they end, so that their seconds are close. */
const SECONDS_CACHED = 64;
/** Not failures by themselves: an assertion must have failed. */
const SUCCESS_CODE = /^[1-3]\d\d$/;

/** Of failures that give no reason. */
const NO_REASON: FailureKind = { code: "", message: "" };

/** Empty texts if not recorded. */
export interface JmeterFailure {
  readonly responseCode: string;
  readonly responseMessage: string;
  /** First message of a failed assertion. */
  readonly failureMessage: string;
}

/** `series` is the label with its facets. */
export interface FailedRow {
  readonly label: number;
  readonly series: number;
  readonly second: number;
  readonly requests: number;
}

/** Records failure reasons and active threads. */
export class JmeterExtras {
  readonly failureKinds: readonly FailureKind[];
  readonly generators: readonly string[];
  /** Kind of the last failure that says why. */
  lastKind: FailureKind = NO_REASON;
  readonly #sink: SampleSink;
  readonly #kinds = new FailureKinds();
  readonly #hosts = new LabelTable();
  readonly #texts = new BytesCache((bytes) => utf8.decode(bytes));
  /** Last recorded user counts by the lowest bits of the second: most samples repeat them. */
  readonly #generator = new Int32Array(SECONDS_CACHED).fill(-1);
  readonly #second = new Uint32Array(SECONDS_CACHED);
  readonly #active = new Float64Array(SECONDS_CACHED);

  constructor(sink: SampleSink) {
    this.#sink = sink;
    this.failureKinds = this.#kinds.kinds;
    this.generators = this.#hosts.texts;
  }

  /**
   * Records why `requests` of a row failed, if the row says why, as in JMeter's own error table. Returns the kind if such
   * rows always have it.
   */
  recordFailure(
    { label, series, second, requests }: FailedRow,
    { responseCode, responseMessage, failureMessage }: JmeterFailure,
  ): number | undefined {
    this.lastKind = NO_REASON;
    if (responseCode === "" && responseMessage === "" && failureMessage === "") return undefined;
    const isAsserted = responseCode === "" || SUCCESS_CODE.test(responseCode);
    const message = isAsserted && failureMessage !== "" ? failureMessage : responseMessage;
    const { unnamed } = this.#kinds;
    const kind = this.#kinds.numberOf(label, responseCode, message);
    this.lastKind = this.failureKinds[kind] as FailureKind;
    this.#sink.recordFailure(series, second, kind, requests);
    return this.#kinds.unnamed === unnamed ? kind : undefined;
  }

  /** Records a failed request of a kind that `recordFailure` returned. */
  repeatFailure(series: number, second: number, kind: number): void {
    this.#sink.recordFailure(series, second, kind, 1);
  }

  /** The kind of a failure without a message of an assertion, if it may not have one and is not the first of its kind. */
  knownKind({ responseCode, responseMessage }: JmeterFailure): FailureKind | undefined {
    if (responseCode === "" || SUCCESS_CODE.test(responseCode)) return undefined;
    return this.#kinds.known(responseCode, responseMessage);
  }

  notes(): string[] {
    return failureNotes(this.#kinds);
  }

  textAt(bytes: Uint8Array, from: number, to: number): string {
    return from === to ? "" : this.#texts.at(bytes, from, to);
  }

  /** Generator index of a host name; names over the limit count as empty. */
  generatorAt(bytes: Uint8Array, from: number, to: number): number {
    const number = this.#hosts.indexOf(bytes, from, to);
    return number === LABEL_TOO_LONG ? this.#hosts.indexOfText("") : number;
  }

  /** Records active threads in the second in which a sample ended. */
  recordUsers(generator: number, second: number, active: number): void {
    if (second >= SECOND_LIMIT) return;
    const at = second & (SECONDS_CACHED - 1);
    const isKnown = this.#second[at] === second && this.#generator[at] === generator;
    if (isKnown && active <= (this.#active[at] as number)) return;
    this.#generator[at] = generator;
    this.#second[at] = second;
    this.#active[at] = active;
    this.#sink.recordActiveUsers(generator, second, active);
  }
}

/** Second in which a sample ended, `millis` after `startSecond`. */
export function endSecondOf(startSecond: number, millis: number, elapsedMicros: number): number {
  return startSecond + Math.floor((millis * 1000 + elapsedMicros) / 1_000_000);
}
