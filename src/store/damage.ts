/** Stored bytes that cannot be trusted any more. */
export interface Damage {
  readonly loadTestId: string | undefined;
  /** What is affected, as a sentence. */
  readonly message: string;
}
