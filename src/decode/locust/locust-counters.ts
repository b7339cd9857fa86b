import type { SampleWindow } from "../../model/sample-batch.ts";
import { halfUp } from "../bytes/exact-number.ts";

/** What Locust has counted for one name since it began, or since it was told to start again. */
export interface LocustTotals {
  readonly requests: number;
  readonly failedRequests: number;
  readonly elapsedMicros: number;
  readonly receivedBytes: number;
}

/** What came in between two ticks. */
type Difference = Omit<SampleWindow, "label" | "second" | "windowSeconds">;

const NOTHING: LocustTotals = {
  requests: 0,
  failedRequests: 0,
  elapsedMicros: 0,
  receivedBytes: 0,
};

/** Takes the totals of one name tick by tick, and tells what each tick added to them. */
export class LocustCounter {
  /** The totals of the tick before. */
  #before = NOTHING;
  /** What has been told since the beginning or the last restart; never more than the totals. */
  #toldMicros = 0;
  #toldBytes = 0;
  #toldFailures = 0;

  /** Whether these totals can only come from a counter that began again. */
  hasRestarted(totals: LocustTotals): boolean {
    return totals.requests < this.#before.requests;
  }

  /** Begins again from zero. */
  restart(): void {
    this.#before = NOTHING;
    this.#toldMicros = 0;
    this.#toldBytes = 0;
    this.#toldFailures = 0;
  }

  /**
   * What the totals add to those before; `undefined` where that is no request. Sums that fall,
   * which rounding can bring about, add nothing until they have risen again, so that all that is
   * told adds up to the last totals.
   */
  advance(totals: LocustTotals): Difference | undefined {
    const before = this.#before;
    const requests = totals.requests - before.requests;
    if (requests === 0) return undefined;
    const elapsedMicros = Math.max(0, totals.elapsedMicros - this.#toldMicros);
    const receivedBytes = Math.max(0, totals.receivedBytes - this.#toldBytes);
    const newFailures = Math.max(0, totals.failedRequests - this.#toldFailures);
    const failedRequests = Math.min(requests, newFailures);
    this.#before = totals;
    this.#toldMicros += elapsedMicros;
    this.#toldBytes += receivedBytes;
    this.#toldFailures += failedRequests;
    return {
      requests,
      elapsedMicros,
      receivedBytes,
      failedRequests,
      failedElapsedMicros: share(elapsedMicros, failedRequests, requests),
      failedReceivedBytes: share(receivedBytes, failedRequests, requests),
      // The history holds no more than the sums of a tick.
      minMicros: undefined,
      maxMicros: undefined,
      latencies: [],
    };
  }
}

/** The history does not say whose time and bytes were whose: failed requests get their share. */
function share(sum: number, part: number, whole: number): number {
  return Number(halfUp(BigInt(sum) * BigInt(part), BigInt(whole)));
}
