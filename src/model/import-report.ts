import type { KeptFile } from "./kept-file.ts";
import type { RepairKind } from "./quality/repairs.ts";

export interface Rejection {
  /** Line on which the record begins, counted from 1. */
  readonly line: number;
  /**
   * Offset in the decompressed source: decoders count from after a byte order mark, reports from the first byte.
   * For UTF-16, in the text as UTF-8.
   */
  readonly byte: number;
  /** Got and want, as a sentence without its full stop. */
  readonly reason: string;
}

/** Counted rows of which something is unknown. */
export interface Repair {
  readonly kind: RepairKind;
  readonly rows: number;
  /** The first `PLACES_LISTED` of them. */
  readonly places: readonly Rejection[];
}

/** Requests whose labels exceed the limit; they count under `OVERFLOW_LABELS`. */
export interface OtherRequests {
  readonly requests: number;
  /** `undefined` if too many to count. */
  readonly labels: number | undefined;
  readonly labelsMax: number;
}

/** `read = recorded + rejected`, always. */
export interface ImportReport {
  readonly loadTestId: string;
  /** Name of the format, such as `jmeter-csv`. */
  readonly format: string;
  /** As given by the user. */
  readonly source: string;
  /** A record is a row, or a window of many requests. */
  readonly samples: { readonly read: number; readonly recorded: number; readonly rejected: number };
  /** Without transactions and sub-results, unless the source has nothing else. */
  readonly requests: number;
  readonly failedRequests: number;
  readonly transactions: number;
  readonly subresults: number;
  readonly endpoints: number;
  /** `undefined` if all labels fit. */
  readonly other: OtherRequests | undefined;
  /** First and last UNIX second with a sample, inclusive; `undefined` if there is none. */
  readonly from: number | undefined;
  readonly until: number | undefined;
  /** The first `REJECTIONS_LISTED` of them. */
  readonly rejections: readonly Rejection[];
  /** Counted rows of which something is unknown, in the order of `REPAIRS`. */
  readonly repairs: readonly Repair[];
  /** Where the source is truncated; `undefined` if it is complete. */
  readonly truncatedAt: Rejection | undefined;
  /** The content, or a later state of it, was already imported; nothing has changed. */
  readonly alreadyImported: boolean;
  /** The original, if it was to be kept and is. */
  readonly original?: KeptFile | undefined;
  /** Hints for the reader, such as an assumed time zone. */
  readonly notes: readonly string[];
  readonly seconds: number;
}

/** Rejections listed in a report; all are counted. */
export const REJECTIONS_LISTED = 20;

/** The same for each kind of repair. */
export const PLACES_LISTED = 5;
