import { networkOf } from "./client-address.ts";

const MINUTE_MS = 60_000;

/** Addresses that are remembered, some 2 MB. */
const ADDRESSES_MAX = 10_000;

/** What an address has sent since its minute began. */
interface Failures {
  count: number;
  readonly untilMs: number;
}

/** A refused key, among those of the same address. */
export interface CountedFailure {
  /** In this minute, with this one. */
  readonly count: number;
  /** Whole seconds, at least 1, until the minute is over. */
  readonly secondsLeft: number;
}

/**
 * Counts refused keys by address, in minutes that begin with the first one. Of more addresses than
 * are remembered, those that came first are forgotten: who has so many is not stopped by counting.
 */
export class FailedKeys {
  readonly #clockMs: () => number;
  /** By address, the minute that ends first standing first. */
  readonly #byAddress = new Map<string, Failures>();

  /** `clockMs` never goes back. */
  constructor(clockMs: () => number) {
    this.#clockMs = clockMs;
  }

  /** How many addresses are remembered. */
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
