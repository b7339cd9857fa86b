/** Why a request failed, as the tool recorded it: two texts, either of which may be empty. */
export interface FailureKind {
  /** The code of the answer, such as `503`, or what the tool writes in its place. */
  readonly code: string;
  /** The message, at most `FAILURE_TEXT_CHARACTERS_MAX` characters. */
  readonly message: string;
}

/** Kinds that a source may give one endpoint; failures of further kinds count as `OTHER_FAILURES`. */
export const FAILURE_KINDS_MAX = 100;

/** A longer code or message is cut and ends with an ellipsis. */
export const FAILURE_TEXT_CHARACTERS_MAX = 500;

export const OTHER_FAILURES: FailureKind = { code: "", message: "(other)" };

/** Failed requests by kind as columns, sorted by (endpoint, kind, second), no triple twice. */
export interface FailureCounts {
  /** Index into the table of labels that the counts travel with. */
  readonly endpoint: Uint32Array;
  /** Index into the table of kinds that the counts travel with. */
  readonly kind: Uint32Array;
  /** UNIX second in which the request started; 0 where it is not known. */
  readonly second: Uint32Array;
  /** At least 1; an exact integer. */
  readonly requests: Float64Array;
}

/** Counts together with the kinds that they point into; a kind stands in the table once. */
export interface FailureTable {
  readonly kinds: readonly FailureKind[];
  readonly counts: FailureCounts;
}

export const NO_FAILURES: FailureTable = {
  kinds: [],
  counts: {
    endpoint: new Uint32Array(0),
    kind: new Uint32Array(0),
    second: new Uint32Array(0),
    requests: new Float64Array(0),
  },
};
