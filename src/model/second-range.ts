/** Seconds `[from, until)`, UNIX time; half open. */
export interface SecondRange {
  readonly from: number;
  readonly until: number;
}

/** Every second that can be stored, second 0 (instant not known) included. */
export const ALL_SECONDS: SecondRange = { from: 0, until: 2 ** 32 };

/** Second 0 stands for an instant that is not known, so that no range of instants contains it. */
export function withoutSecondZero({ from, until }: SecondRange): SecondRange {
  return { from: Math.max(1, from), until };
}
