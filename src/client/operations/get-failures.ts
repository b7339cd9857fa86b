/** Made of the OpenAPI document of the service by `npm run client`: not to be edited. */

/** Why requests failed, by endpoint and kind. */
export interface GetFailures {
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
    /** Whether each kind comes with its number in each second. */
    readonly series?: "false" | "true" | undefined;
    /** Whether all endpoints that are selected become one item. */
    readonly merge?: "false" | "true" | undefined;
    /** Seconds merged into one data point; points begin at multiples of it. */
    readonly resolution?: number | undefined;
  };
  readonly body?: undefined;
  readonly answer: ReadonlyArray<{
    readonly hash?: string;
    /** Absent, like `hash`, where endpoints were merged. */
    readonly label?: string;
    /** All failed requests of the endpoint. */
    readonly errCount: number;
    /** Those of which the source does not say why. */
    readonly withoutKind: number;
    readonly kinds: ReadonlyArray<{
      /** As the tool recorded it; may be empty. */
      readonly code: string;
      /** As the tool recorded it; `(other)` holds the kinds beyond the first hundred. */
      readonly message: string;
      readonly count: number;
      /** First UNIX second; absent where it is not known. */
      readonly from?: number;
      /** Last UNIX second; absent where it is not known. */
      readonly until?: number;
      /** Pairs of UNIX second and count, ascending; second 0 is not known. */
      readonly series?: ReadonlyArray<readonly [number, number]>;
      /** Endpoints that have it; only with `merge=true`. */
      readonly endpointCount?: number;
      /** The first 100 of them, that with the most failures first. */
      readonly endpoints?: ReadonlyArray<{
        readonly hash: string;
        readonly label: string;
        readonly count: number;
      }>;
    }>;
  }>;
}
