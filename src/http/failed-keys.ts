import { networkOf } from "./client-address.ts";

const MINUTE_MS = 60_000;

/** Takes about 2 MB. */
const ADDRESSES_MAX = 10_000;

/** Failures of one address in its current minute. */
interface Failures {
  count: number;
  readonly untilMs: number;
}

/** A rejected key, counted with the others of its address. */
export interface CountedFailure {
  /** In this minute, including this one. */
  readonly count: number;
  /** Whole seconds, at least 1, until the minute ends. */
  readonly secondsLeft: number;
}

/**
 * Counts rejected keys by address, in minutes that begin with the first one. Beyond `ADDRESSES_MAX`
 * the oldest addresses are dropped: counting does not stop an attacker who has that many.
 */
export class FailedKeys {
  readonly #clockMs: () => number;
  /** By address, in the order in which their minutes end. */
  readonly #byAddress = new Map<string, Failures>();

  /** `clockMs` is monotonic. */
  constructor(clockMs: () => number) {
    this.#clockMs = clockMs;
  }

  get size(): number {
    return this.#byAddress.size;
  }

  count(address: string): CountedFailure {
    const nowMs = this.#clockMs();
    this.#forget(nowMs);
    const network = networkOf(address);
    const failures = this.#byAddress.get(network) ?? { count: 0, untilMs: nowMs + MINUTE_MS };
    failures.count += 1;
    this.#byAddress.set(network, failures);
    const { count, untilMs } = failures;
    return { count, secondsLeft: Math.max(1, Math.ceil((untilMs - nowMs) / 1000)) };
  }

  #forget(nowMs: number): void {
    for (const [address, { untilMs }] of this.#byAddress) {
      if (untilMs > nowMs && this.#byAddress.size < ADDRESSES_MAX) return;
      this.#byAddress.delete(address);
    }
  }
}
