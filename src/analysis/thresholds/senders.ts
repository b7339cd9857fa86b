/** A sender that is silent for longer is not waited for. */
const SILENCE_MAX_MS = 10_000;

/** Nor is one whose data are older than those of another by more. */
export const SKEW_MAX_SECONDS = 60;

/** Batches of one source whose delays differ by more are those of different senders. */
const JITTER_MAX_SECONDS = 5;

interface Sender {
  readonly sourceId: string;
  /** With a request or with active users. */
  readonly lastSecond: number;
  readonly observedAtMs: number;
}

/**
 * The senders of a run, and up to which second all of them have sent data: a second counts only then, so that a sender whose clock is
 * ahead does not hide the requests of the others.
 */
export class Senders {
  #senders: readonly Sender[] = [];

  observe(sourceId: string, lastSecond: number, nowMs: number): void {
    const isSame = (each: Sender): boolean =>
      each.sourceId === sourceId &&
      Math.abs((each.observedAtMs - nowMs) / 1000 - (each.lastSecond - lastSecond)) <=
        JITTER_MAX_SECONDS;
    const own = this.#senders.find(isSame);
    const others = this.#senders.filter(
      (each) => each !== own && nowMs - each.observedAtMs <= SILENCE_MAX_MS,
    );
    const latest = Math.max(lastSecond, own?.lastSecond ?? 0);
    this.#senders = [...others, { sourceId, lastSecond: latest, observedAtMs: nowMs }];
  }

  /** The last second of the slowest sender; `undefined` without a sender. The clock closest to this one is taken as the right one. */
  lastCommonSecond(nowMs: number): number | undefined {
    const active = this.#senders.filter(
      ({ observedAtMs }) => nowMs - observedAtMs <= SILENCE_MAX_MS,
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
