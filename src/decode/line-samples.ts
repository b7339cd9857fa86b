import type { FailureKind } from "../model/failures.ts";
import type { LineProtocolOptions, SampleSink } from "./decoder.ts";
import { FailureKinds } from "./failure-kinds.ts";
import { K6Metrics } from "./k6-metrics.ts";
import { labelNotes } from "./label-notes.ts";
import { jmeterShapeOf, LineJmeter } from "./line-jmeter.ts";
import { LineK6 } from "./line-k6.ts";
import type { LinePoint } from "./line-point.ts";
import { quoted } from "./quoted.ts";

/** Measurements that are remembered by name; points of further ones are counted together. */
const MEASUREMENTS_MAX = 1000;
/** How many of them a note names. */
const MEASUREMENTS_NAMED = 10;

/** Digits of a timestamp of our days by its unit. */
const TIME_DIGITS = { s: 10, ms: 13, us: 16, ns: 19 } as const;

/** Turns points into samples: those of k6 and of JMeter's listeners; others are counted. */
export class LineSamples {
  readonly labels: readonly string[];
  readonly failureKinds: readonly FailureKind[];
  readonly generators: readonly string[] = [""];
  readonly #k6: LineK6;
  readonly #jmeter: LineJmeter;
  readonly #metrics = new K6Metrics();
  readonly #precision: LineProtocolOptions["precision"];
  /** Points by measurement of which nothing is known, and those beyond `MEASUREMENTS_MAX`. */
  readonly #foreign = new Map<string, number>();
  #unnamed = 0;

  constructor(sink: SampleSink, { precision, intervalSeconds }: LineProtocolOptions = {}) {
    const kinds = new FailureKinds();
    this.#k6 = new LineK6(sink, kinds);
    const { labels } = this.#k6;
    this.#jmeter = new LineJmeter({ sink, labels, kinds, intervalSeconds });
    this.#precision = precision;
    this.labels = labels.texts;
    this.failureKinds = kinds.kinds;
  }

  /** Points that neither k6 nor JMeter writes of their own accord: none of them is a request. */
  get foreignPoints(): number {
    return [...this.#foreign.values()].reduce((sum, count) => sum + count, this.#unnamed);
  }

  /** Whether a point of this measurement is no surprise. */
  isKnown(point: LinePoint): boolean {
    const { measurement } = point;
    return (
      this.#metrics.kindOf(measurement) !== undefined ||
      this.#foreign.has(measurement) ||
      jmeterShapeOf(point) !== undefined
    );
  }

  /** Takes a point. Answers why it cannot be used. */
  take(point: LinePoint): string | undefined {
    const shape = jmeterShapeOf(point);
    if (shape !== undefined) return this.#timeComplaint(point) ?? this.#jmeter.take(point, shape);
    const kind = this.#metrics.kindOf(point.measurement);
    if (kind === undefined) this.#countForeign(point);
    if (kind === undefined || kind === "other") return undefined;
    return this.#timeComplaint(point) ?? this.#k6.take(point, kind);
  }

  flush(): void {
    this.#k6.flush();
    this.#jmeter.flush();
  }

  /** Hands over what is left. What a reader of the numbers should know. */
  end(): readonly string[] {
    const notes = [...this.#k6.end(), ...this.#jmeter.end(), ...labelNotes(this.#k6.labels)];
    const { foreignPoints } = this;
    if (foreignPoints > 0)
      notes.push(`points that are no requests: ${foreignPoints}, ${this.#named()}`);
    return notes;
  }

  /** Where the unit of timestamps was said, others are not guessed at. */
  #timeComplaint({ time }: LinePoint): string | undefined {
    const precision = this.#precision;
    if (precision === undefined || time.length === TIME_DIGITS[precision]) return undefined;
    const got = quoted(time.toString());
    return `cannot read the time: got ${got}, want ${TIME_DIGITS[precision]} digits (precision ${precision})`;
  }

  #countForeign(point: LinePoint): void {
    const { measurement } = point;
    // JMeter tells the beginning and the end of a run; nothing is missed without it.
    if (measurement === "events" && point.field("text") !== undefined) return;
    const count = this.#foreign.get(measurement);
    if (count === undefined && this.#foreign.size >= MEASUREMENTS_MAX) this.#unnamed += 1;
    else this.#foreign.set(measurement, (count ?? 0) + 1);
  }

  #named(): string {
    const names = [...this.#foreign].toSorted(([, left], [, right]) => right - left);
    const shown = names
      .slice(0, MEASUREMENTS_NAMED)
      .map(([name, count]) => `${quoted(name)} (${count})`);
    const more = names.length > MEASUREMENTS_NAMED ? " and more" : "";
    return `of the measurements ${shown.join(", ")}${more}`;
  }
}
