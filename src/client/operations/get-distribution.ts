/** Made of the OpenAPI document of the service by `npm run client`: not to be edited. */

import type { Figures } from "./shapes.ts";

/** Distribution of response times, over everything that is selected. */
export interface GetDistribution {
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
  readonly answer: {
    /** Figures of all that is selected as one, as in the summary. */
    readonly overall: Figures;
    /** Response times that were seen, seconds, ascending. */
    readonly times: ReadonlyArray<number>;
    /** Requests that took each of `times`; they add up to `overall.count`. */
    readonly counts: ReadonlyArray<number>;
  };
}
