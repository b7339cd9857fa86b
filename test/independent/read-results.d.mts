/** One or more requests as a source recorded them. */
export interface IndependentSample {
  readonly label: string;
  /** UNIX second of the start; 0 where it is not known. */
  readonly second: bigint;
  readonly micros: bigint;
  readonly bytes: bigint;
  readonly requests: bigint;
  readonly failed: bigint;
}

export interface IndependentReading {
  readonly format: string;
  readonly samples: readonly IndependentSample[];
  readonly rejected: readonly { readonly line?: number; readonly reason: string }[];
  readonly cut: boolean;
}

export function readResults(
  bytes: Uint8Array,
  options?: { readonly timeZone?: string },
): IndependentReading | undefined;
