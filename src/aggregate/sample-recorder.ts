import { ALL_SECONDS, grown } from "../model/columns.ts";
import type { FailureKind } from "../model/failures.ts";
import { redactText } from "../model/samples/redact.ts";
import {
  compareSamples,
  type LabelledSample,
  sampleOf,
  type SampleTimes,
  type UnreadRequest,
} from "../model/samples/request-sample.ts";
import { SampleChoice, type SampleOptions } from "../model/samples/sample-choice.ts";

const MILLIS_PER_SECOND = 1000;

/** Keeps some requests of one source whole, in bounded memory. */
export class SampleRecorder {
  /**
   * By label: the response time from which a passed request is wanted, 0 for a new one. A decoder need not ask for faster
   * ones. Replaced when there are more labels.
   */
  slowestFrom = new Float64Array(64);
  /** Set once, before anything else. Labels are indexes into `Decoder.labels`. */
  nameOf: (label: number) => string = () => "";
  readonly #choice: SampleChoice;
  readonly #redact: (text: string) => string;
  readonly #from: number;
  readonly #until: number;
  /** Labels and hashes of those that were taken and still are chosen. */
  #taken = new Set<string>();
  #hasAdded = false;
  readonly #hides: (series: string) => boolean;

  /** `hides`: whether no request of a series is kept. @default none is hidden */
  constructor(
    { bytesMax, redact = [], seconds = ALL_SECONDS }: SampleOptions,
    hides: (series: string) => boolean = () => false,
  ) {
    this.#hides = hides;
    this.#choice = new SampleChoice(bytesMax, (label) => this.nameOf(label));
    const patterns = redact.map((pattern) => new RegExp(pattern, "giu"));
    this.#redact = (text) => redactText(text, patterns);
    this.#from = seconds.from * MILLIS_PER_SECOND;
    this.#until = seconds.until * MILLIS_PER_SECOND;
  }

  /** Whether `add` is worth it. `kind`: of a failed request. */
  wants(label: number, times: SampleTimes, kind?: FailureKind): boolean {
    if (kind === undefined && times.elapsedMicros < (this.slowestFrom[label] ?? 0)) return false;
    if (times.timeMs < this.#from || times.timeMs >= this.#until) return false;
    return this.#choice.wants(label, times, kind) && !this.#isHidden(label);
  }

  add(label: number, request: UnreadRequest): void {
    this.#hasAdded = true;
    this.#choice.add(label, request, () => sampleOf(request.read(), this.#redact));
    if (label >= this.slowestFrom.length) {
      this.slowestFrom = grown(this.slowestFrom, label + 1);
    }
    this.slowestFrom[label] = this.#choice.slowestFrom(label);
  }

  /** Whether a `take` is due. */
  get isMuch(): boolean {
    return this.#choice.isMuch;
  }

  /** Takes secrets out of what may be taken, a request a step: all together may take a second. */
  makeWhole(): Generator<void> {
    return this.#choice.makeWhole();
  }

  /** Returns those that were chosen since the last call. */
  take(): readonly LabelledSample[] | undefined {
    if (!this.#hasAdded) return undefined;
    this.#hasAdded = false;
    const chosen = this.#choice.choose();
    const added = chosen.filter(([label, { hash }]) => !this.#taken.has(`${label} ${hash}`));
    this.#taken = new Set(chosen.map(([label, { hash }]) => `${label} ${hash}`));
    for (let label = 0; label < this.slowestFrom.length; label++) {
      const isHidden = this.slowestFrom[label] === Infinity;
      if (!isHidden) this.slowestFrom[label] = this.#choice.slowestFrom(label);
    }
    if (added.length === 0) return undefined;
    return added
      .map(([label, sample]) => ({ label: this.nameOf(label), ...sample }))
      .toSorted(compareSamples);
  }

  /** Passed requests of a hidden series are not asked about again. */
  #isHidden(label: number): boolean {
    if (!this.#hides(this.nameOf(label))) return false;
    if (label >= this.slowestFrom.length) this.slowestFrom = grown(this.slowestFrom, label + 1);
    this.slowestFrom[label] = Infinity;
    return true;
  }
}
