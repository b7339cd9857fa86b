/** What the statistics of a source cannot show; stored with it and returned with every affected statistic. */

import { sumOf } from "./columns.ts";
import type { DataPoints } from "./data-points.ts";
import { membersIn } from "./json-text.ts";
import { factsOf } from "./point-facts.ts";
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
  const { from, until } = membersIn(value) as Partial<Extent>;
  return isSecond(from) && isSecond(until) && from <= until;
}

function isSecond(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0;
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

/**
 * Marks of a source: digests of growing beginnings of it. Positions depend only on the bytes before them, so the
 * marks of an earlier state of a file are the first marks of the file (docs/decisions/010). Each is a base 36
 * position, a dot and 6 characters of Base64. A source of 1 TB has fewer than 1,000.
 */
export const MARKS_FORM = /^(?:[0-9a-z]{1,9}\.[\w-]{6}){0,1000}$/;

export interface Marked {
  readonly sizeBytes: number;
  readonly marks: string;
}

/** Whether `shorter` is the beginning of `longer`, up to its last mark; what follows that is not compared. */
export function isBeginning(shorter: Marked, longer: Marked): boolean {
  if (shorter.marks === "" || shorter.sizeBytes >= longer.sizeBytes) return false;
  if (!longer.marks.startsWith(shorter.marks)) return false;
  const further = longer.marks.slice(shorter.marks.length);
  const next = Number.parseInt(further.slice(0, further.indexOf(".")), 36);
  return further === "" || next > shorter.sizeBytes;
}
