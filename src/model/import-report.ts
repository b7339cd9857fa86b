/** One record of a source that could not be read. */
export interface Rejection {
  /** Line on which the record begins, counted from 1. */
  readonly line: number;
  /**
   * Offset of its first byte in the decompressed source: decoders count from behind a byte order
   * mark, reports from the first byte. Of UTF-16 it is the offset in the text as UTF-8.
   */
  readonly byte: number;
  /** What was got and what was wanted, as a sentence without its full stop. */
  readonly reason: string;
}

/** Requests of a source for whose labels a load test had no room: they count under `OTHER_LABELS`. */
export interface OtherRequests {
  readonly requests: number;
  /** How many labels that were; `undefined` where they were too many to tell them apart. */
  readonly labels: number | undefined;
  /** How many labels the load test may have. */
  readonly labelsMax: number;
}

/** What became of one source. `read = recorded + rejected`, always. */
export interface ImportReport {
  readonly loadTestId: string;
  /** Name of the decoder, such as `jmeter-csv`. */
  readonly format: string;
  /** Name of the source as the user gave it. */
  readonly source: string;
  /** Records of the source, whatever one of them holds: a row, or a window of many requests. */
  readonly samples: { readonly read: number; readonly recorded: number; readonly rejected: number };
  /** Without those of transactions and sub-results, unless the source has no others. */
  readonly requests: number;
  /** Of `requests`. */
  readonly failedRequests: number;
  /** Rows of transactions and of sub-results. */
  readonly transactions: number;
  readonly subresults: number;
  readonly endpoints: number;
  /** `undefined` where there was room for all labels. */
  readonly other: OtherRequests | undefined;
  /** First and last UNIX second with a sample, both included; `undefined` where there is none. */
  readonly from: number | undefined;
  readonly until: number | undefined;
  /** The first `REJECTIONS_LISTED` of them. */
  readonly rejections: readonly Rejection[];
  /** Where the source ends inside a record or without its closing part; `undefined` if whole. */
  readonly cut: Rejection | undefined;
  /** The same content or a later state of it was in the load test already: nothing has changed. */
  readonly alreadyImported: boolean;
  /** What a reader of the numbers should know, such as the time zone that was assumed. */
  readonly notes: readonly string[];
  /** How long the import took. */
  readonly seconds: number;
}

/** How many rejections a report lists; all of them are counted. */
export const REJECTIONS_LISTED = 20;
