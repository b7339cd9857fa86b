/** Made of the OpenAPI document of the service by `npm run client`: not to be edited. */

import type { NamedEndpoint } from "./shapes.ts";

/** What stands out in a load test. */
export interface GetFindings {
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
  };
  readonly body?: undefined;
  readonly answer: ReadonlyArray<{
    readonly kind: "step";
    /** First UNIX second after the step. */
    readonly at: number;
    /** 95th percentile of the minute before, seconds. */
    readonly p95Before: number;
    /** 95th percentile of the minute after, seconds. */
    readonly p95After: number;
    /** When it was over; absent where it held. */
    readonly backAt?: number;
    /** Those that became slower, the worst first. */
    readonly endpoints: ReadonlyArray<NamedEndpoint>;
  } | {
    readonly kind: "burst";
    /** First UNIX second. */
    readonly from: number;
    /** Last UNIX second. */
    readonly until: number;
    /** Failed requests within. */
    readonly errCount: number;
    /** Failed requests of the whole range. */
    readonly allErrCount: number;
    /** The kind that most of them are of, if there is one. */
    readonly failure?: {
      readonly code: string;
      readonly message: string;
      readonly count: number;
    };
    /** Those with failures within, the most first. */
    readonly endpoints: ReadonlyArray<NamedEndpoint>;
  }>;
}
