import type { FailureKind } from "../model/failures.ts";
import {
  charactersRead,
  type FurtherDetails,
  readAtOnce,
  SAMPLE_TEXTS,
  type SampleText,
} from "../model/samples/request-sample.ts";
import type { SampleSink } from "./decoder.ts";

const MILLIS_PER_SECOND = 1000;

/** Why a request failed that only says that it did. */
export const UNEXPLAINED: FailureKind = { code: "", message: "" };

/** Characters of texts that may still be read; secrets are looked for at about one million a second. */
export interface TextBudget {
  left: number;
}

/** Of a write: the event loop waits for it. */
export const WRITE_CHARACTERS_MAX = 1_000_000;

const TEXT_NAMES = Object.keys(SAMPLE_TEXTS) as readonly SampleText[];

/** A text of so many characters, such as a trace id, stays in any case. */
const SHORT = 64;

/** What a request says, without its long texts once the budget is used up. */
export function withinBudget<Details extends FurtherDetails>(
  details: Details,
  budget: TextBudget,
): Details {
  const long = TEXT_NAMES.filter((name) => (details[name]?.length ?? 0) > SHORT);
  for (const name of TEXT_NAMES) {
    budget.left -= Math.min(details[name]?.length ?? 0, charactersRead(name));
  }
  if (budget.left >= 0) return details;
  return { ...details, ...Object.fromEntries(long.map((name) => [name, undefined])) };
}

/** Lines of a header. Browsers join those of one name, such as cookies, by line feeds. */
export function headerLines(name: string, value: string): readonly string[] {
  return value.split(/\r?\n/).map((line) => `${name}: ${line}`);
}

/** Details that are read when the request is made whole, which few are. */
export interface LateDetails {
  /** Of the text that has them, which it keeps. */
  readonly bytes: number;
  readonly read: () => FurtherDetails;
}

export type KnownDetails = FurtherDetails | LateDetails;

/** Reads `text` at most once. */
export function lateDetails<Text extends { readonly length: number }>(
  text: Text,
  read: (text: Text) => FurtherDetails,
): LateDetails {
  let details: FurtherDetails | undefined;
  return { bytes: text.length, read: () => (details ??= read(text)) };
}

/** Offers the requests of a source, which has one at a time, to be kept whole. */
export class KeptRequests {
  /** What else is known of the request that is offered; only called if it may be kept. @default nothing */
  details: () => KnownDetails = () => ({});
  readonly #samples: SampleSink["samples"];
  /** Reused: nearly all are passed over. */
  readonly #times = { timeMs: 0, elapsedMicros: 0 };

  constructor({ samples }: SampleSink) {
    this.#samples = samples;
  }

  /** Response time from which a passed request of a series may be wanted; infinite if none is kept. */
  wantsFrom(series: number): number {
    return this.#samples === undefined ? Infinity : (this.#samples.slowestFrom[series] ?? 0);
  }

  /** `second`: of its start, 0: unknown. `kind`: of a failed one. */
  offer(
    series: number,
    {
      second,
      millis,
      elapsedMicros,
    }: Readonly<Record<"second" | "millis" | "elapsedMicros", number>>,
    kind: FailureKind | undefined,
  ): void {
    const samples = this.#samples;
    if (samples === undefined) return;
    if (kind === undefined && elapsedMicros < this.wantsFrom(series)) return;
    const times = this.#times;
    times.timeMs = second === 0 ? 0 : second * MILLIS_PER_SECOND + millis;
    times.elapsedMicros = elapsedMicros;
    if (!samples.wants(series, times, kind)) return;
    const details = this.details();
    if ("read" in details) {
      const { bytes, read } = details;
      const own = { ...kind, ...times };
      samples.add(series, { ...times, kind, bytes, read: () => ({ ...read(), ...own }) });
    } else samples.add(series, readAtOnce({ ...details, ...kind, ...times }));
  }
}
