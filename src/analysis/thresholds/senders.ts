import { LATE_DATA_SECONDS } from "../check/watch-run.ts";

/** A sender that is silent for longer is not waited for, unless it sends more seconds at a time. */
const SILENCE_MAX_MS = 10_000;

/** Nor is one whose data are older than those of another by more. */
export const SKEW_MAX_SECONDS = 60;

/** Batches of one source whose delays differ by more are those of different senders. */
const JITTER_MAX_SECONDS = 5;

/** With each batch that is on time, a sender is expected to be late by this much less. */
const LATE_STEP_SECONDS = 0.1;

interface Sender {
  readonly sourceId: string;
  readonly lastSecond: number;
  readonly observedAtMs: number;
  /** How long it may be silent. */
  readonly silenceMaxMs: number;
  /** How much older than its newest requests the oldest are that it still sends. */
  readonly lateSeconds: number;
}

/** Seconds that a batch holds, both inclusive. */
interface SentSeconds {
  readonly first: number;
  /** With a request or with active users. */
  readonly last: number;
}

/**
 * The senders of a run, and up to which second all of them have sent data: a second counts only then, so that a sender whose clock is
 * ahead does not hide the requests of the others.
 */
export class Senders {
  #senders: readonly Sender[] = [];

  /** How late requests of any sender come after newer ones: at most `LATE_DATA_SECONDS`. */
  get lateSeconds(): number {
    const late = this.#senders.map(({ lateSeconds }) => lateSeconds);
    return Math.ceil(Math.max(0, ...late));
  }

  observe(sourceId: string, { first, last: lastSecond }: SentSeconds, nowMs: number): void {
    const isSame = (each: Sender): boolean =>
      each.sourceId === sourceId &&
      Math.abs((each.observedAtMs - nowMs) / 1000 - (each.lastSecond - lastSecond)) <=
        JITTER_MAX_SECONDS;
    const own = this.#senders.find(isSame);
    const others = this.#senders.filter(
      (each) => each !== own && nowMs - each.observedAtMs <= each.silenceMaxMs,
    );
    const sent = { sourceId, observedAtMs: nowMs };
    const { lastSecond: before = first, lateSeconds: late = 0 } = own ?? {};
    const toldSeconds = Math.min(before - first, LATE_DATA_SECONDS);
    const lateSeconds = Math.max(toldSeconds, late - LATE_STEP_SECONDS);
    const spanSeconds = Math.min(2 * (lastSecond - before), SKEW_MAX_SECONDS);
    const silenceMaxMs = Math.max(SILENCE_MAX_MS, spanSeconds * 1000);
    const latest = Math.max(lastSecond, before);
    this.#senders = [...others, { ...sent, lastSecond: latest, silenceMaxMs, lateSeconds }];
  }

  /** The last second of the slowest sender; `undefined` without a sender. The clock closest to this one is taken as the right one. */
  lastCommonSecond(nowMs: number): number | undefined {
    const active = this.#senders.filter(
      ({ observedAtMs, silenceMaxMs }) => nowMs - observedAtMs <= silenceMaxMs,
    );
    const seconds = (active.length === 0 ? this.#senders : active).map(
      ({ lastSecond }) => lastSecond,
    );
    const [right] = seconds.toSorted(
      (left, other) => Math.abs(left - nowMs / 1000) - Math.abs(other - nowMs / 1000),
    );
    if (right === undefined) return undefined;
    return Math.min(...seconds.filter((each) => each >= right - SKEW_MAX_SECONDS));
  }
}
