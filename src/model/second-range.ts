/** Seconds `[from, until)`, UNIX time; half open. */
export interface SecondRange {
  readonly from: number;
  readonly until: number;
}

/** Every second that can be stored, second 0 (instant not known) included. */
export const ALL_SECONDS: SecondRange = { from: 0, until: 2 ** 32 };
