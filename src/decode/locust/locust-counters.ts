import type { SampleWindow } from "../../model/sample-batch.ts";
import { halfUp } from "../bytes/exact-number.ts";

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
  /** Totals of the previous tick. */
  #before = NOTHING;
  /** Sum reported since start or reset; never above the totals. */
  #reportedMicros = 0;
  #reportedBytes = 0;
  #reportedFailures = 0;

  /** Whether the totals imply a reset. */
  hasRestarted(totals: LocustTotals): boolean {
    return totals.requests < this.#before.requests;
  }

  restart(): void {
    this.#before = NOTHING;
    this.#reportedMicros = 0;
    this.#reportedBytes = 0;
    this.#reportedFailures = 0;
  }

  /**
   * Difference to the previous totals; `undefined` without requests. Sums that fall by rounding add nothing
   * until they rise again, so that all differences add up to the last totals.
   */
  advance(totals: LocustTotals): Difference | undefined {
    const before = this.#before;
    const requests = totals.requests - before.requests;
    if (requests === 0) return undefined;
    const elapsedMicros = Math.max(0, totals.elapsedMicros - this.#reportedMicros);
    const receivedBytes = Math.max(0, totals.receivedBytes - this.#reportedBytes);
    const newFailures = Math.max(0, totals.failedRequests - this.#reportedFailures);
    const failedRequests = Math.min(requests, newFailures);
    this.#before = totals;
    this.#reportedMicros += elapsedMicros;
    this.#reportedBytes += receivedBytes;
    this.#reportedFailures += failedRequests;
    return {
      requests,
      elapsedMicros,
      receivedBytes,
      failedRequests,
      failedElapsedMicros: share(elapsedMicros, failedRequests, requests),
      failedReceivedBytes: share(receivedBytes, failedRequests, requests),
      // The history has only sums per tick.
      minMicros: undefined,
      maxMicros: undefined,
      latencies: [],
    };
  }
}

/** Failed requests get their share of time and bytes. */
function share(sum: number, part: number, whole: number): number {
  return Number(halfUp(BigInt(sum) * BigInt(part), BigInt(whole)));
}
