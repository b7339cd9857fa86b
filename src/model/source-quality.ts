/** What the figures of a source cannot tell: stored with it, and returned with every figure it affects. */

import type { DataPoints } from "./data-points.ts";

/** What no request of a source has. */
export const UNRECORDED = ["sizes", "failure-reasons", "users"] as const;

export type Unrecorded = (typeof UNRECORDED)[number];

export interface SourceQuality {
  readonly unrecorded: readonly Unrecorded[];
  /** Requests without a response time. */
  readonly untimedRequests: number;
  /** Requests whose response time is known as a part of an average alone. */
  readonly averagedRequests: number;
  /** The longest window that the source merges its requests into; 1 where it has none. */
  readonly windowSeconds: number;
  readonly rejectedRows: number;
  /** Where the source was cut short; absent where it is whole. */
  readonly truncatedAtByte?: number | undefined;
}

/** Counts in data points what a source did not record of its requests. */
export class QualityCounter {
  #untimedRequests = 0;
  #averagedRequests = 0;
  #windowSeconds = 1;

  add({ requests, untimedRequests, bucketCount, windowSeconds }: DataPoints): void {
    const [untimed, distributed] = [sumOf(untimedRequests ?? []), sumOf(bucketCount)];
    this.#untimedRequests += untimed;
    this.#averagedRequests += sumOf(requests) - untimed - distributed;
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

function sumOf(column: ArrayLike<number>): number {
  let sum = 0;
  for (let row = 0; row < column.length; row++) sum += column[row] as number;
  return sum;
}
