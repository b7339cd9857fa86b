/** Made of the OpenAPI document of the service by `npm run client`: not to be edited. */

import type { Overview, XyPoint } from "./shapes.ts";

/** Metrics of a load test, by endpoint and second. */
export interface GetMetrics {
  readonly parameters: {
    /** Identifies the load test. */
    readonly loadTestId: string;
    /** Text that the label contains, letter case included; no character has a special meaning. Either `filter` or `hash` must be given. */
    readonly filter?: string | undefined;
    /** SHA-1 of the label's UTF-8 bytes, 40 hex digits in either case. The answer then holds at most one item. Either `filter` or `hash` must be given. */
    readonly hash?: string | undefined;
    /** Form of each item's `data`. */
    readonly format?: "csv" | "xy" | "default" | undefined;
    /** Leaves out what is before this UNIX second. */
    readonly from?: number | undefined;
    /** Leaves out what is at this UNIX second or later. */
    readonly until?: number | undefined;
    /** Seconds merged into one data point; points begin at multiples of it. */
    readonly resolution?: number | undefined;
  };
  readonly body?: undefined;
  readonly answer: ReadonlyArray<{
    /** SHA-1 of the label's UTF-8 bytes. */
    readonly hash: string;
    /** The label as it was recorded. */
    readonly label: string;
    readonly data: readonly [readonly ["Timestamp", "avgLoadTime", "count", "downloadSize", "errAvgLoadTime", "errCount", "errDownloadSize"], ...ReadonlyArray<readonly [string, string, string, string, string, string, string]>] | {
      /** All data points together. */
      readonly overview: Overview;
      /** Every x of the series, ascending. */
      readonly labels: ReadonlyArray<number>;
      /** Average response time in seconds. */
      readonly pageRespTimePerSec: ReadonlyArray<XyPoint>;
      /** Requests per second, failed ones included. */
      readonly pageReqPerSec: ReadonlyArray<XyPoint>;
      /** KiB (1,024 bytes) received per second. */
      readonly pageKbPerSec: ReadonlyArray<XyPoint>;
      /** Average response time of failed requests in seconds, 0 where none failed. */
      readonly pageErrRespTime: ReadonlyArray<XyPoint>;
      /** Failed requests per second. */
      readonly pageErrCount: ReadonlyArray<XyPoint>;
      /** KiB received by failed requests per second. */
      readonly pageErrKb: ReadonlyArray<XyPoint>;
    } | {
      /** All data points together. */
      readonly overview: Overview;
      /** Every x of the series, ascending. */
      readonly labels: ReadonlyArray<number>;
      /** Average response time in seconds. */
      readonly pageRespTimePerSec: Readonly<Record<string, number>>;
      /** Requests per second, failed ones included. */
      readonly pageReqPerSec: Readonly<Record<string, number>>;
      /** KiB (1,024 bytes) received per second. */
      readonly pageKbPerSec: Readonly<Record<string, number>>;
      /** Average response time of failed requests in seconds, 0 where none failed. */
      readonly pageErrRespTime: Readonly<Record<string, string>>;
      /** Failed requests per second. */
      readonly pageErrCount: Readonly<Record<string, number>>;
      /** KiB received by failed requests per second. */
      readonly pageErrKb: Readonly<Record<string, number>>;
    };
  }>;
}
