/** Made of the OpenAPI document of the service by `npm run client`: not to be edited. */

/** A series of load tests, and what changed in it. */
export interface GetTrend {
  readonly parameters: {
    /** Name that the load tests have, exactly. */
    readonly name?: string | undefined;
    /** Tag that the load tests have, exactly; with `name` or without. */
    readonly tag?: string | undefined;
    /** At most so many load tests, the latest. */
    readonly last?: number | undefined;
    /** Leaves out load tests that started before the one with this id; without it, before the pinned baseline of the name. */
    readonly since?: string | undefined;
    /** `true`: the pinned baseline leaves nothing out. */
    readonly ignoreBaseline?: "false" | "true" | undefined;
    /** Ends with the load test of this id, whatever its name. */
    readonly upTo?: string | undefined;
    /** Text that the label contains, letter case included; no character has a special meaning. */
    readonly filter?: string | undefined;
    /** SHA-1 of the label's UTF-8 bytes, 40 hex digits in either case. */
    readonly hash?: string | undefined;
    /** The same for several endpoints, at most 1000, separated by commas. */
    readonly hashes?: string | undefined;
    /** Seconds left out at the start of each load test, until it runs steadily. */
    readonly skipStart?: number | undefined;
    /** Seconds left out at the end of each load test, from when on it ends. */
    readonly skipEnd?: number | undefined;
  };
  readonly body?: undefined;
  readonly answer: {
    /** By their start, the latest last. */
    readonly loadTests: ReadonlyArray<{
      readonly id: string;
      readonly name: string;
      /** UNIX second of the first request. */
      readonly startedAt: number;
    }>;
    readonly leftOut: {
      /** Load tests of the series before these. */
      readonly loadTests: number;
      /** Endpoints with fewer requests: at least so many. */
      readonly endpoints: number;
    };
    /** The latest first. */
    readonly changes: ReadonlyArray<{
      /** The load test that brought it. */
      readonly loadTestId: string;
      readonly figure: "count" | "errRate" | "avgLoadTime" | "p50" | "p95" | "p99";
      /** How many load tests have the level before. */
      readonly loadTestsBefore: number;
      /** How many have the level after; of 1 or 2, it may be an outlier. */
      readonly loadTestsAfter: number;
      /** Average of the level before. */
      readonly before: number;
      /** Average of the level after. */
      readonly after: number;
      /** That noise alone makes levels so different. */
      readonly chance: number;
      /** Absent where it is all endpoints as one. */
      readonly label?: string;
      readonly hash?: string;
      /** 0.1 where it grew by 10 %; of `errRate` the difference. Absent where it was 0. */
      readonly change?: number;
    }>;
    readonly overall: {
      /** As in the summary of each of `loadTests`; `null` where it has no request. */
      readonly count: ReadonlyArray<number | null>;
      /** As in the summary of each of `loadTests`; `null` where it has no request. */
      readonly errRate: ReadonlyArray<number | null>;
      /** As in the summary of each of `loadTests`; `null` where it has no request. */
      readonly avgLoadTime: ReadonlyArray<number | null>;
      /** As in the summary of each of `loadTests`; `null` where it has no request. */
      readonly p50: ReadonlyArray<number | null>;
      /** As in the summary of each of `loadTests`; `null` where it has no request. */
      readonly p95: ReadonlyArray<number | null>;
      /** As in the summary of each of `loadTests`; `null` where it has no request. */
      readonly p99: ReadonlyArray<number | null>;
    };
    readonly endpoints: ReadonlyArray<{
      readonly label: string;
      readonly hash: string;
      /** As in the summary of each of `loadTests`; `null` where it has no request. */
      readonly count: ReadonlyArray<number | null>;
      /** As in the summary of each of `loadTests`; `null` where it has no request. */
      readonly errRate: ReadonlyArray<number | null>;
      /** As in the summary of each of `loadTests`; `null` where it has no request. */
      readonly avgLoadTime: ReadonlyArray<number | null>;
      /** As in the summary of each of `loadTests`; `null` where it has no request. */
      readonly p50: ReadonlyArray<number | null>;
      /** As in the summary of each of `loadTests`; `null` where it has no request. */
      readonly p95: ReadonlyArray<number | null>;
      /** As in the summary of each of `loadTests`; `null` where it has no request. */
      readonly p99: ReadonlyArray<number | null>;
      /** Absent where the rows are requests: what they repeat of others. */
      readonly role?: "transaction" | "subresult";
    }>;
    /** The load test that they begin at because somebody said so: `since`, or the baseline. */
    readonly since?: string;
    /** The pinned baseline of the name, also if ignored. */
    readonly baseline?: string;
  };
}
