/** Made of the OpenAPI document of the service by `npm run client`: not to be edited. */

/** Distribution of response times over time. */
export interface GetHeatmap {
  readonly parameters: {
    /** Identifies the load test. */
    readonly id: string;
    /** Text that the label contains, letter case included; no character has a special meaning. */
    readonly filter?: string | undefined;
    /** SHA-1 of the label's UTF-8 bytes, 40 hex digits in either case. */
    readonly hash?: string | undefined;
    /** The same for several endpoints, at most 1000, separated by commas. */
    readonly hashes?: string | undefined;
    /** Leaves out what is before this UNIX second. */
    readonly from?: number | undefined;
    /** Leaves out what is at this UNIX second or later. */
    readonly until?: number | undefined;
    /** Seconds merged into one data point; points begin at multiples of it. */
    readonly resolution?: number | undefined;
  };
  readonly body?: undefined;
  readonly answer: {
    /** Seconds of a column. */
    readonly resolution: number;
    /** UNIX seconds at which the columns that have requests begin, ascending. */
    readonly labels: ReadonlyArray<number>;
    /** Seconds at which rows begin, ascending; the last one ends the row before it. */
    readonly rows: ReadonlyArray<number>;
    /** For each column its cells: pairs of the index of the row and the requests. */
    readonly cells: ReadonlyArray<ReadonlyArray<readonly [number, number]>>;
  };
}
