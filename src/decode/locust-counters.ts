import type { SampleWindow } from "../model/sample-batch.ts";
import { halfUp } from "./exact-product.ts";

/** What Locust has counted for one name since it began, or since it was told to start again. */
export interface LocustTotals {
  readonly requests: number;
  readonly failedRequests: number;
  readonly elapsedMicros: number;
  readonly receivedBytes: number;
  readonly minMicros: number;
  readonly maxMicros: number;
}

/** What came in between two ticks. */
type Difference = Omit<SampleWindow, "label" | "second" | "windowSeconds">;

const NOTHING: LocustTotals = {
  requests: 0,
  failedRequests: 0,
  elapsedMicros: 0,
  receivedBytes: 0,
  minMicros: 0,
  maxMicros: 0,
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
      ...distribution(before, totals, { requests, elapsedMicros }),
    };
  }
}

/** The history does not say whose time and bytes were whose: failed requests get their share. */
function share(sum: number, part: number, whole: number): number {
  return Number(halfUp(BigInt(sum) * BigInt(part), BigInt(whole)));
}

type Distribution = Pick<Difference, "minMicros" | "maxMicros" | "latencies">;

/**
 * The extremes of the totals are those since the beginning. Where they have moved they are those of
 * this tick: one request each, and for the rest stands its average.
 */
function distribution(
  before: LocustTotals,
  totals: LocustTotals,
  { requests, elapsedMicros }: { readonly requests: number; readonly elapsedMicros: number },
): Distribution {
  const known = requests === 1 ? [] : newExtremes(before, totals);
  const others = requests - known.length;
  const restMicros = known.reduce((rest, micros) => rest - micros, elapsedMicros);
  const average = Math.round(restMicros / others);
  const ofOthers = Math.min(Math.max(average, totals.minMicros), totals.maxMicros);
  const values = others === 0 ? known : [...known, requests === 1 ? average : ofOthers];
  return {
    minMicros: Math.min(...values),
    maxMicros: Math.max(...values),
    latencies: values.map((micros, index) => ({
      elapsedMicros: micros,
      requests: index < known.length ? 1 : others,
    })),
  };
}

/** At most as many as there are requests, which are two at least. */
function newExtremes(before: LocustTotals, totals: LocustTotals): number[] {
  const isFirst = before.requests === 0;
  const isMinNew = isFirst || totals.minMicros < before.minMicros;
  const isMaxNew = isFirst || totals.maxMicros > before.maxMicros;
  return [...(isMinNew ? [totals.minMicros] : []), ...(isMaxNew ? [totals.maxMicros] : [])];
}
