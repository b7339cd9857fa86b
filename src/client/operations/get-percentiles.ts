/** Made of the OpenAPI document of the service by `npm run client`: not to be edited. */

import type { BandEdge } from "./shapes.ts";

/** Percentiles of response times over time, by endpoint or merged. */
export interface GetPercentiles {
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
    /** Percentiles, at most 10, separated by commas; 50,90,95,99 without it. */
    readonly percent?: string | undefined;
    /** Whether all endpoints that are selected become one series. */
    readonly merge?: "false" | "true" | undefined;
    /** Whether the merged series comes with the lowest and the highest value that one of its endpoints has in each point. */
    readonly band?: "false" | "true" | undefined;
  };
  readonly body?: undefined;
  readonly answer: ReadonlyArray<{
    readonly hash?: string;
    /** Absent, like `hash`, where endpoints were merged. */
    readonly label?: string;
    /** UNIX seconds at which points begin, ascending. */
    readonly labels: ReadonlyArray<number>;
    /** Seconds that each point covers; absent where all cover `resolution`. */
    readonly windows?: ReadonlyArray<number>;
    /** Requests of each point. */
    readonly count: ReadonlyArray<number>;
    /** Failed requests of each point. */
    readonly errCount: ReadonlyArray<number>;
    /** In seconds. */
    readonly avgLoadTime: ReadonlyArray<number>;
    /** Bytes of each point. */
    readonly receivedBytes: ReadonlyArray<number>;
    /** By percentile its values in seconds, one for each of `labels`. */
    readonly percentiles: Readonly<Record<string, ReadonlyArray<number>>>;
    /** Only with `band=true`. */
    readonly band?: {
      /** Of the values of the endpoints that have requests in a point. */
      readonly lowest: BandEdge;
      /** Of the values of the endpoints that have requests in a point. */
      readonly highest: BandEdge;
    };
  }>;
}
