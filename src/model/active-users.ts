/**
 * Active users as columns, sorted by (generator, second), no pair twice. A tool tells either how many
 * users were active (`active`, merged by maximum) or how many came and went (`started`, `ended`,
 * merged by addition); the columns of the other way are 0. A generator uses one way only.
 */
export interface UserCounts {
  /** Index into the names of load generators that the counts travel with. */
  readonly generator: Uint32Array;
  /** UNIX second, at least 1. */
  readonly second: Uint32Array;
  /** Most users that were seen active in this second. */
  readonly active: Float64Array;
  readonly started: Float64Array;
  readonly ended: Float64Array;
}

/** Counts together with the generators that they point into. */
export interface UserTable {
  /**
   * What tells apart the machines (or processes) of one source whose users add up, such as JMeter's
   * host name; the empty text where a source has only one.
   */
  readonly generators: readonly string[];
  readonly counts: UserCounts;
}
