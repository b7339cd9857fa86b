/** One or more requests as a source recorded them. */
export interface IndependentSample {
  readonly label: string;
  /** UNIX second of the start; 0 where it is not known. */
  readonly second: bigint;
  readonly micros: bigint;
  readonly bytes: bigint;
  readonly requests: bigint;
  readonly failed: bigint;
  /** Requests without a response time; `micros` and `spread` leave them out. @default 0 */
  readonly untimed?: bigint;
  /** The failed ones among them. @default 0 */
  readonly untimedFailed?: bigint;
  /** How its time is spread over its requests, [micros, requests]; evenly where that is not given. */
  readonly spread?: readonly (readonly [micros: number, requests: number])[];
  /** The source states only the sum or the average of its requests: no single response time is known. */
  readonly averaged?: boolean;
  /** With `averaged`: minimum and maximum in microseconds, where the source states them. */
  readonly extremes?: readonly [min: number, max: number];
  /** Seconds that the row stands for, from its second on. @default 1 */
  readonly windowSeconds?: bigint;
  /** Why its requests failed, if they did and the source tells. */
  readonly kinds?: readonly IndependentKind[];
}

export interface IndependentKind {
  readonly code: string;
  readonly message: string;
  readonly requests: bigint;
}

/** What a source tells of a load generator in one second: the most that were active, or changes. */
export interface IndependentUsers {
  readonly generator: string;
  readonly second: bigint;
  readonly active?: bigint;
  readonly started?: bigint;
  readonly ended?: bigint;
}

/** A percentile that the load tool computed itself. */
export interface IndependentPercentile {
  /** `undefined`: of all requests together. */
  readonly label: string | undefined;
  /** `undefined`: of the whole run. */
  readonly window: { readonly second: number; readonly seconds: number } | undefined;
  /** 0 to 1. */
  readonly quantile: number;
  readonly micros: number;
}

export interface IndependentReading {
  readonly format: string;
  readonly samples: readonly IndependentSample[];
  /** In any order; several for one generator and second are merged by whoever compares. */
  readonly users?: readonly IndependentUsers[];
  /** What the tool states of requests whose response times are not recorded one by one. */
  readonly reported?: readonly IndependentPercentile[];
  readonly rejected: readonly { readonly line?: number; readonly reason: string }[];
  readonly cut: boolean;
  /** Labels whose rows repeat others; JMeter CSV alone. */
  readonly derived?: ReadonlyMap<string, "transaction" | "subresult">;
}

export function readResults(
  bytes: Uint8Array,
  options?: { readonly timeZone?: string; readonly startedAtMs?: number | undefined },
): IndependentReading | undefined;
