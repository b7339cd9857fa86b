import type { FailureKind } from "../../model/failures.ts";
import type { SampleSink } from "../decoder.ts";
import { FailureKinds, failureNotes } from "../failure-kinds.ts";
import { LABEL_TOO_LONG, LabelTable } from "../labels/label-table.ts";

/** A file can have a new text in each row: then all are forgotten, and learned again. */
const TEXTS_MAX = 4096;

/** Seconds that can be stored are below this. */
const SECOND_LIMIT = 2 ** 32;
/** Samples are written as they end, so that their seconds lie close together. A power of two. */
const SECONDS_KNOWN = 64;
/** Answers of this kind do not fail by their code: an assertion must have said so. */
const SUCCESS_CODE = /^[1-3]\d\d$/;

/** What JMeter says about a sample that has failed; empty where a file does not say it. */
export interface JmeterFailure {
  readonly responseCode: string;
  readonly responseMessage: string;
  /** The first message of an assertion that has failed. */
  readonly failureMessage: string;
}

/** Passes on what JMeter's samples tell besides their times: why they failed, how many threads ran. */
export class JmeterExtras {
  readonly failureKinds: readonly FailureKind[];
  readonly generators: readonly string[];
  readonly #sink: SampleSink;
  readonly #kinds = new FailureKinds();
  readonly #hosts = new LabelTable();
  readonly #texts = new KnownTexts();
  /** What was told last of a second, by its lowest bits: most samples say the same again. */
  readonly #generator = new Int32Array(SECONDS_KNOWN).fill(-1);
  readonly #second = new Uint32Array(SECONDS_KNOWN);
  readonly #active = new Float64Array(SECONDS_KNOWN);

  constructor(sink: SampleSink) {
    this.#sink = sink;
    this.failureKinds = this.#kinds.kinds;
    this.generators = this.#hosts.texts;
  }

  /**
   * Says why `requests` of a row failed, as JMeter's own table of errors does; nothing where the
   * row does not say anything.
   */
  tellFailure(
    { label, second, requests }: { label: number; second: number; requests: number },
    { responseCode, responseMessage, failureMessage }: JmeterFailure,
  ): void {
    if (responseCode === "" && responseMessage === "" && failureMessage === "") return;
    const isAsserted = responseCode === "" || SUCCESS_CODE.test(responseCode);
    const message = isAsserted && failureMessage !== "" ? failureMessage : responseMessage;
    const kind = this.#kinds.numberOf(label, responseCode, message);
    this.#sink.recordFailure(label, second, kind, requests);
  }

  /** What a reader of the failures should know. */
  notes(): string[] {
    return failureNotes(this.#kinds);
  }

  /** What a failure says at `[from, to)`. */
  textAt(bytes: Uint8Array, from: number, to: number): string {
    return this.#texts.at(bytes, from, to);
  }

  /** The number of the generator whose name is at `[from, to)`; an over-long name is no name. */
  generatorAt(bytes: Uint8Array, from: number, to: number): number {
    const number = this.#hosts.indexOf(bytes, from, to);
    return number === LABEL_TOO_LONG ? this.#hosts.indexOfText("") : number;
  }

  /** Says how many threads were active in the second in which a sample ended. */
  tellUsers(generator: number, second: number, active: number): void {
    if (second >= SECOND_LIMIT) return;
    const at = second & (SECONDS_KNOWN - 1);
    const isKnown = this.#second[at] === second && this.#generator[at] === generator;
    if (isKnown && active <= (this.#active[at] as number)) return;
    this.#generator[at] = generator;
    this.#second[at] = second;
    this.#active[at] = active;
    this.#sink.recordActiveUsers(generator, second, active);
  }
}

/** The second in which a sample ended that began so many milliseconds after `startSecond`. */
export function endSecondOf(startSecond: number, millis: number, elapsedMicros: number): number {
  return startSecond + Math.floor((millis * 1000 + elapsedMicros) / 1_000_000);
}

/** Texts that come again and again in a source: they are decoded once. */
class KnownTexts {
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  #table = new LabelTable();

  /** The text at `[from, to)`. */
  at(bytes: Uint8Array, from: number, to: number): string {
    if (from === to) return "";
    if (this.#table.texts.length === TEXTS_MAX) this.#table = new LabelTable();
    const index = this.#table.indexOf(bytes, from, to);
    if (index === LABEL_TOO_LONG) return this.#decoder.decode(bytes.subarray(from, to));
    return this.#table.texts[index] as string;
  }
}
