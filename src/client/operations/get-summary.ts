/** Made of the OpenAPI document of the service by `npm run client`: not to be edited. */

import type { Figures, LeftOut } from "./shapes.ts";

/** Figures of a load test, by endpoint and overall. */
export interface GetSummary {
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
    /** Response time in milliseconds that satisfies; with it comes the Apdex. */
    readonly apdexMs?: number | undefined;
    /** At most so many endpoints are listed; `overall` stays that of all of them. */
    readonly limit?: number | undefined;
    /** The figure that endpoints are listed by, equal ones by label. */
    readonly sort?: "label" | "count" | "errCount" | "errRate" | "avgLoadTime" | "minLoadTime" | "p50" | "p90" | "p95" | "p99" | "p999" | "maxLoadTime" | "receivedBytes" | "reqPerSec" | "kbPerSec" | undefined;
    /** The order in which they are listed. Unless it is given, labels ascend and figures descend. */
    readonly order?: "ascending" | "descending" | undefined;
    /** Text that the label of an endpoint has to contain to be listed, letter case included; unlike `filter` it leaves `overall` as it is. */
    readonly search?: string | undefined;
  };
  readonly body?: undefined;
  readonly answer: {
    readonly overall: Figures;
    /** `everything` where `overall` holds transactions or sub-results: endpoints that were named by hash, or nothing but those. */
    readonly overallOf: "requests" | "everything";
    /** How many of the endpoints are not in `overall`. */
    readonly leftOut: LeftOut;
    /** Endpoints that have requests; only with `limit`, `sort`, `order` or `search`. */
    readonly endpointCount?: number;
    /** Those of them that `search` finds; likewise. */
    readonly matchingCount?: number;
    readonly endpoints: ReadonlyArray<{
      readonly hash: string;
      readonly label: string;
      /** Absent where the rows are requests: what they repeat of others. */
      readonly role?: "transaction" | "subresult";
      /** Requests. */
      readonly count: number;
      /** Failed requests. */
      readonly errCount: number;
      /** Failed requests by all requests. */
      readonly errRate: number;
      /** Average response time, seconds. */
      readonly avgLoadTime: number;
      /** Average response time of failed requests; 0 where none failed, seconds. */
      readonly errAvgLoadTime: number;
      /** Bytes of all responses. */
      readonly receivedBytes: number;
      /** Average response size, bytes. */
      readonly downloadSize: number;
      /** The same of failed requests. */
      readonly errDownloadSize: number;
      /** Requests by `range`. */
      readonly reqPerSec: number;
      /** KiB received by `range`. */
      readonly kbPerSec: number;
      /** Seconds from the first to the last, both included. */
      readonly range: number;
      /** Shortest response time, seconds. */
      readonly minLoadTime?: number;
      /** Longest response time, seconds. */
      readonly maxLoadTime?: number;
      /** Median of response times, seconds. */
      readonly p50?: number;
      /** 90th percentile, seconds. */
      readonly p90?: number;
      /** 95th percentile, seconds. */
      readonly p95?: number;
      /** 99th percentile, seconds. */
      readonly p99?: number;
      /** 99.9th percentile, seconds. */
      readonly p999?: number;
      /** First UNIX second with a request. */
      readonly from?: number;
      /** Last UNIX second with a request. */
      readonly until?: number;
      /** Apdex for the threshold that was given. */
      readonly apdex?: number;
    }>;
  };
}
