/** What the statistics of a source cannot show; stored with it and returned with every affected statistic. */

import type { DataPoints } from "./data-points.ts";
import { factsOf } from "./point-facts.ts";
import { sumOf } from "./columns.ts";
import type { RowQuality } from "./quality/row-quality.ts";

export const UNRECORDED = ["sizes", "failure-reasons", "users"] as const;

export type Unrecorded = (typeof UNRECORDED)[number];

export interface SourceQuality extends RowQuality {
  readonly unrecorded: readonly Unrecorded[];
  readonly untimedRequests: number;
  /** Requests of which only an average response time is known. */
  readonly averagedRequests: number;
  /** Longest window that the source merges; 1 if it has none. */
  readonly windowSeconds: number;
  /** Absent if the source is complete. */
  readonly truncatedAtByte?: number | undefined;
  /** Present if the source says it: its first and last window may begin earlier and end later. */
  readonly extent?: Extent | undefined;
}

/** First and last UNIX second of a run, inclusive. */
export interface Extent {
  readonly from: number;
  readonly until: number;
}

export function isExtent(value: unknown): value is Extent {
  const { from, until } = value as Extent;
  return (
    [from, until].every((second) => Number.isSafeInteger(second) && second > 0) && from <= until
  );
}

export class QualityCounter {
  #untimedRequests = 0;
  #averagedRequests = 0;
  #windowSeconds = 1;

  add(points: DataPoints): void {
    const { untimedRequests, windowSeconds } = points;
    const { requests, distributed } = factsOf(points);
    const untimed = sumOf(untimedRequests);
    this.#untimedRequests += untimed;
    this.#averagedRequests += requests - untimed - distributed;
    for (const seconds of windowSeconds ?? []) {
      this.#windowSeconds = Math.max(this.#windowSeconds, seconds);
    }
  }

  get counted(): Pick<SourceQuality, "untimedRequests" | "averagedRequests" | "windowSeconds"> {
    return {
      untimedRequests: this.#untimedRequests,
      averagedRequests: this.#averagedRequests,
      windowSeconds: this.#windowSeconds,
    };
  }
}
