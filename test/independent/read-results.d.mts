/** One or more requests as a source recorded them. */
export interface IndependentSample {
  readonly label: string;
  /** UNIX second of the start; 0 where it is not known. */
  readonly second: bigint;
  readonly micros: bigint;
  readonly bytes: bigint;
  readonly requests: bigint;
  readonly failed: bigint;
  /** How its time is spread over its requests, [micros, requests]; evenly where that is not given. */
  readonly spread?: readonly (readonly [micros: number, requests: number])[];
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

export interface IndependentReading {
  readonly format: string;
  readonly samples: readonly IndependentSample[];
  /** In any order; several for one generator and second are merged by whoever compares. */
  readonly users?: readonly IndependentUsers[];
  readonly rejected: readonly { readonly line?: number; readonly reason: string }[];
  readonly cut: boolean;
}

export function readResults(
  bytes: Uint8Array,
  options?: { readonly timeZone?: string; readonly startedAtMs?: number | undefined },
): IndependentReading | undefined;
