/** What change points are looked for in: one figure over the load tests of a series, in their order. */
export interface LevelSeries {
  /** On a scale on which noise is alike everywhere. */
  readonly values: Float64Array;
  /** Variance that noise has at least, by how exactly the figure is measured. */
  readonly varianceMin: number;
}

/** A part of a series: indexes of its values, half open. */
export interface Part {
  readonly from: number;
  readonly until: number;
}

/** A part that is cut in two: the second half begins `at`. */
export interface Split extends Part {
  readonly at: number;
}

/** A level is no shorter, but for one that goes on at the end of the series. */
export const LEVEL_MIN = 3;
