/** Seconds `[from, until)`, UNIX time; half open. */
export interface SecondRange {
  readonly from: number;
  readonly until: number;
}

/** UNIX seconds that are stored are below this; 0: unknown. */
export const SECOND_LIMIT = 2 ** 32;

/** Includes second 0 (timestamp unknown). */
export const ALL_SECONDS: SecondRange = { from: 0, until: SECOND_LIMIT };

/** Only second 0. */
export const UNKNOWN_SECOND: SecondRange = { from: 0, until: 1 };

/** Second 0 means that the timestamp is unknown: no time range contains it. */
export function withoutSecondZero({ from, until }: SecondRange): SecondRange {
  return { from: Math.max(1, from), until };
}
