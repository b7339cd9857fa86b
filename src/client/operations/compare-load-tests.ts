/** Made of the OpenAPI document of the service by `npm run client`: not to be edited. */

import type { ComparedShare, ComparedTime, LeftOut, Shift } from "./shapes.ts";

/** What differs from another load test, by endpoint and overall. */
export interface CompareLoadTests {
  readonly parameters: {
    /** Identifies the load test. */
    readonly id: string;
    /** The load test that is compared with. */
    readonly base: string;
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
    /** The same as `from`, of the load test that is compared with. */
    readonly baseFrom?: number | undefined;
    /** The same as `until`, of the load test that is compared with. */
    readonly baseUntil?: number | undefined;
    /** Seconds left out at the start of each load test, until it runs steadily. */
    readonly skipStart?: number | undefined;
    /** Seconds left out at the end of each load test, from when on it ends. */
    readonly skipEnd?: number | undefined;
  };
  readonly body?: undefined;
  readonly answer: {
    readonly overall: {
      readonly verdict: "slower" | "faster" | "unchanged" | "tooFew" | "new" | "gone";
      readonly count: {
        readonly base: number;
        readonly value: number;
      };
      /** How far response times have moved as a whole: the average of their logarithms, and over several endpoints that of each of them. Members that the data do not tell are absent. */
      readonly shift: Shift;
      /** Failed requests by all requests. Members that do not exist or that the data do not tell are absent. */
      readonly errRate: ComparedShare;
      /** Seconds. Members that do not exist or that the data do not tell are absent. */
      readonly avgLoadTime: ComparedTime;
      /** Seconds. Members that do not exist or that the data do not tell are absent. */
      readonly p50: ComparedTime;
      /** Seconds. Members that do not exist or that the data do not tell are absent. */
      readonly p95: ComparedTime;
      /** Seconds. Members that do not exist or that the data do not tell are absent. */
      readonly p99: ComparedTime;
    };
    /** `everything` where `overall` holds transactions or sub-results: endpoints that were named by hash, or nothing but those. */
    readonly overallOf: "requests" | "everything";
    /** How many of the endpoints are not in `overall`. */
    readonly leftOut: LeftOut;
    readonly endpoints: ReadonlyArray<{
      readonly hash: string;
      readonly label: string;
      readonly verdict: "slower" | "faster" | "unchanged" | "tooFew" | "new" | "gone";
      readonly count: {
        readonly base: number;
        readonly value: number;
      };
      /** How far response times have moved as a whole: the average of their logarithms, and over several endpoints that of each of them. Members that the data do not tell are absent. */
      readonly shift: Shift;
      /** Failed requests by all requests. Members that do not exist or that the data do not tell are absent. */
      readonly errRate: ComparedShare;
      /** Seconds. Members that do not exist or that the data do not tell are absent. */
      readonly avgLoadTime: ComparedTime;
      /** Seconds. Members that do not exist or that the data do not tell are absent. */
      readonly p50: ComparedTime;
      /** Seconds. Members that do not exist or that the data do not tell are absent. */
      readonly p95: ComparedTime;
      /** Seconds. Members that do not exist or that the data do not tell are absent. */
      readonly p99: ComparedTime;
      /** Absent where the rows are requests: what they repeat of others. */
      readonly role?: "transaction" | "subresult";
    }>;
  };
}
