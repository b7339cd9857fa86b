/** A sender that is silent for this time is not waited for. */
const PATIENCE_MS = 10_000;

/** Nor one whose data are so much older than those of another. */
export const BEHIND_SECONDS = 60;

/** Senders of one source whose delays differ by more are different ones. */
const JITTER_SECONDS = 5;

interface Sender {
  readonly sourceId: string;
  /** Last second with a request or with active users. */
  readonly last: number;
  readonly heardAtMs: number;
}

/**
 * Tells up to which second the data of a run have come: a second counts once all who send have later ones, so that one whose clock is ahead
 * does not hide the requests of the others.
 */
export class Senders {
  #senders: readonly Sender[] = [];

  hear(sourceId: string, last: number, nowMs: number): void {
    const isSame = (each: Sender): boolean =>
      each.sourceId === sourceId &&
      Math.abs((each.heardAtMs - nowMs) / 1000 - (each.last - last)) <= JITTER_SECONDS;
    const own = this.#senders.find(isSame);
    const others = this.#senders.filter(
      (each) => each !== own && nowMs - each.heardAtMs <= PATIENCE_MS,
    );
    this.#senders = [
      ...others,
      { sourceId, last: Math.max(last, own?.last ?? 0), heardAtMs: nowMs },
    ];
  }

  /** The last second of the slowest; `undefined` if none was heard of. The clock closest to this one is taken for right. */
  lastOfAll(nowMs: number): number | undefined {
    const active = this.#senders.filter(({ heardAtMs }) => nowMs - heardAtMs <= PATIENCE_MS);
    const seconds = (active.length === 0 ? this.#senders : active).map(({ last }) => last);
    const [right] = seconds.toSorted(
      (left, other) => Math.abs(left - nowMs / 1000) - Math.abs(other - nowMs / 1000),
    );
    if (right === undefined) return undefined;
    return Math.min(...seconds.filter((last) => last >= right - BEHIND_SECONDS));
  }
}
