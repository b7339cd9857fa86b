import type { SampleWindow } from "../../model/sample-batch.ts";
import { shareOf } from "../bytes/exact-number.ts";

/** Totals of one name since start or reset. */
export interface LocustTotals {
  readonly requests: number;
  readonly failedRequests: number;
  readonly elapsedMicros: number;
  readonly receivedBytes: number;
}

type Difference = Omit<SampleWindow, "label" | "second" | "windowSeconds">;

const NOTHING: LocustTotals = {
  requests: 0,
  failedRequests: 0,
  elapsedMicros: 0,
  receivedBytes: 0,
};

/** Converts totals to differences per tick. */
export class LocustCounter {
  /** Reported since start or reset: the requests of the previous tick, and sums never above its totals. */
  #reported = NOTHING;

  /** Whether the totals imply a reset. */
  hasRestarted(totals: LocustTotals): boolean {
    return totals.requests < this.#reported.requests;
  }

  restart(): void {
    this.#reported = NOTHING;
  }

  /**
   * Difference to the previous totals; `undefined` without requests. Sums that fall by rounding add nothing
   * until they rise again, so that all differences add up to the last totals.
   */
  advance(totals: LocustTotals): Difference | undefined {
    const reported = this.#reported;
    const requests = totals.requests - reported.requests;
    if (requests === 0) return undefined;
    const elapsedMicros = Math.max(0, totals.elapsedMicros - reported.elapsedMicros);
    const receivedBytes = Math.max(0, totals.receivedBytes - reported.receivedBytes);
    const newFailures = Math.max(0, totals.failedRequests - reported.failedRequests);
    const failedRequests = Math.min(requests, newFailures);
    this.#reported = {
      requests: totals.requests,
      elapsedMicros: reported.elapsedMicros + elapsedMicros,
      receivedBytes: reported.receivedBytes + receivedBytes,
      failedRequests: reported.failedRequests + failedRequests,
    };
    return {
      requests,
      elapsedMicros,
      receivedBytes,
      failedRequests,
      failedElapsedMicros: shareOf(elapsedMicros, failedRequests, requests),
      failedReceivedBytes: shareOf(receivedBytes, failedRequests, requests),
      // The history has only sums per tick.
      minMicros: undefined,
      maxMicros: undefined,
      latencies: [],
    };
  }
}
