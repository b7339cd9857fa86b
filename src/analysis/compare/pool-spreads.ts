/** Noise between few runs, by that of all endpoints of the test together. docs/internals/statistics.md has the method. */

import { averageOf, squaresOf } from "../../model/columns.ts";

/** How much the earlier runs differ while nothing changes, on the scale of `scaledFigure`. */
export interface RunSpread {
  readonly variance: number;
  readonly degreesOfFreedom: number;
  readonly loadTests: number;
}

/** How much one endpoint differs between the earlier runs. */
export interface EndpointSpread extends RunSpread {
  /** By run: the distance from its level; 0 if it is unknown. */
  readonly residuals: Float64Array;
}

/** What the endpoints of a test have in common. */
export interface PooledSpread {
  readonly variance: number;
  /** Of the variance, as an estimate of an endpoint's own; infinite if all endpoints vary alike. */
  readonly degreesOfFreedom: number;
  /** Limit of the degrees of freedom of all endpoints together: those of endpoints that go up and down together are not independent. */
  readonly degreesMax: number;
}

/** `undefined` for fewer than two endpoints. */
export function poolSpreads(spreads: readonly EndpointSpread[]): PooledSpread | undefined {
  if (spreads.length < 2) return undefined;
  const logs = Float64Array.from(
    spreads,
    ({ variance, degreesOfFreedom }) => Math.log(variance) - biasOf(degreesOfFreedom / 2),
  );
  const expected = spreads.map(({ degreesOfFreedom }) => trigamma(degreesOfFreedom / 2));
  const excess = squaresOf(logs) / (logs.length - 1) - averageOf(Float64Array.from(expected));
  const half = excess > 0 ? (1 + Math.sqrt(1 + 2 * excess)) / (2 * excess) : Infinity;
  const variance = Math.exp(averageOf(logs) + biasOf(half));
  const pooled = { variance, degreesOfFreedom: 2 * half, degreesMax: Infinity };
  return { ...pooled, degreesMax: independentDegrees(spreads, pooled) };
}

/** The spread of one endpoint: never smaller than its own. */
export function moderated<Spread extends RunSpread>(own: Spread, pooled: PooledSpread): Spread {
  const degreesOfFreedom = own.degreesOfFreedom + pooled.degreesOfFreedom;
  return {
    ...own,
    variance: varianceOf(own, pooled),
    degreesOfFreedom: Math.max(
      own.degreesOfFreedom,
      Math.floor(Math.min(degreesOfFreedom, pooled.degreesMax)),
    ),
  };
}

function varianceOf(own: RunSpread, pooled: PooledSpread): number {
  const share = own.degreesOfFreedom / (own.degreesOfFreedom + pooled.degreesOfFreedom);
  return Math.max(own.variance, share * own.variance + (1 - share) * pooled.variance);
}

/** Degrees of freedom of a sum of correlated variances, by Box 1954. The squared correlations of few runs are too large, which is safe. */
function independentDegrees(spreads: readonly EndpointSpread[], pooled: PooledSpread): number {
  const scaled = spreads.map((each) => {
    const deviation = Math.sqrt(varianceOf(each, pooled));
    return each.residuals.map((residual) => residual / deviation);
  });
  const runs = scaled[0]?.length ?? 0;
  let [trace, squares] = [0, 0];
  for (let one = 0; one < runs; one++) {
    for (let other = 0; other < runs; other++) {
      const product = scaled.reduce(
        (sum, each) => sum + (each[one] as number) * (each[other] as number),
        0,
      );
      if (one === other) trace += product;
      squares += product ** 2;
    }
  }
  const ofOne = Math.min(...spreads.map(({ degreesOfFreedom }) => degreesOfFreedom));
  return squares === 0 ? 0 : (ofOne * trace ** 2) / squares;
}

/** The expected logarithm of a gamma variable of this shape and average 1: digamma less logarithm, by its series; for 1.5 within 0.001. */
function biasOf(shape: number): number {
  return -1 / (2 * shape) - 1 / (12 * shape ** 2);
}

/** The variance of that logarithm, by its series. */
function trigamma(shape: number): number {
  return 1 / shape + 1 / (2 * shape ** 2) + 1 / (6 * shape ** 3);
}
