/** The peak of the Universal Scalability Law of Gunther, fitted by least squares: docs/capacity.md. */

import type { Limited } from "../../api/findings.ts";
import { studentT } from "../student-t.ts";

export interface LoadPoint {
  /** Active users; more than 0. */
  readonly load: number;
  /** Requests per second. */
  readonly throughput: number;
}

/** Throughput = rateOfOne * load / (1 + contention * (load - 1) + coherency * load * (load - 1)). */
interface Law {
  /** Throughput of one user. */
  readonly rateOfOne: number;
  readonly contention: number;
  readonly coherency: number;
}

export interface Peak {
  readonly load: Limited;
  readonly throughput: Limited;
  readonly law: Law;
}

export const LEVELS_MIN = 5;
/** In simulations, limits from 5 blocks hold the true peak in 95 %, from 8 in 91 %. */
const BLOCKS = 5;
const ERROR_PROBABILITY = 0.05;

/**
 * Fits the Universal Scalability Law to load levels, ascending, and returns its peak; `undefined` if it lies beyond
 * the largest load, or not every fit without one block of adjacent levels has one. Needs 5 levels.
 *
 * The limits come from these fits (jackknife): distances of adjacent levels from the law are alike, so that their
 * variance alone would promise too much.
 */
export function findPeak(levels: readonly LoadPoint[]): Peak | undefined {
  const most = levels.at(-1)?.load ?? 0;
  const peak = peakOf(levels);
  if (levels.length < LEVELS_MIN || peak === undefined || peak.load > most) return undefined;
  const others: { readonly load: number; readonly throughput: number }[] = [];
  for (let block = 0; block < BLOCKS; block++) {
    const isKept = (_: LoadPoint, index: number) =>
      Math.floor((index * BLOCKS) / levels.length) !== block;
    const other = peakOf(levels.filter(isKept));
    if (other === undefined || other.load > most * BEYOND_MAX) return undefined;
    others.push(other);
  }
  const limitsOf = (pick: (peak: LoadPoint) => number) => limited(pick(peak), others.map(pick));
  const { law } = peak;
  return {
    load: limitsOf(({ load }) => load),
    throughput: limitsOf(({ throughput }) => throughput),
    law,
  };
}

/** How far beyond the largest load the peak of a fit without a block may lie, as a factor. */
const BEYOND_MAX = 1.5;

/** In logarithms, so that limits are above 0. */
function limited(value: number, others: readonly number[]): Limited {
  const logs = others.map((other) => Math.log(other));
  const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length;
  const squared = logs.reduce((sum, log) => sum + (log - mean) ** 2, 0);
  const freedom = logs.length - 1;
  const error = Math.sqrt((squared * freedom) / logs.length);
  const factor = Math.exp(studentT(ERROR_PROBABILITY, freedom) * error);
  return { value, low: value / factor, high: value * factor };
}

/** The fitted law, and where throughput is largest by it; `undefined` if it grows with every load. */
function peakOf(points: readonly LoadPoint[]): (LoadPoint & { readonly law: Law }) | undefined {
  const most = Math.max(...points.map(({ load }) => load));
  // Relative to the largest load, so that the terms have similar magnitudes.
  const terms = leastSquares(
    points.map(({ load, throughput }) => ({ load: load / most, throughput })),
  );
  if (terms === undefined) return undefined;
  const [a, b, c] = terms;
  if (!(a > 0 && c > 0)) return undefined;
  return {
    load: Math.sqrt(a / c) * most,
    throughput: 1 / (b + 2 * Math.sqrt(a * c)),
    law: lawOf([a, b, c], most),
  };
}

/** The terms in the law's own form, relative to one user. */
function lawOf([a, b, c]: Terms, most: number): Law {
  const coherency = c / most ** 2;
  const ofOne = a + b / most + coherency;
  return {
    rateOfOne: 1 / (most * ofOne),
    contention: 1 - a / ofOne,
    coherency: coherency / ofOne,
  };
}

/** Of throughput = n / (a + bn + cn²), n being the load relative to the largest: the same law, but easier to fit. */
type Terms = readonly [a: number, b: number, c: number];

const STEPS_MAX = 100;
const DAMPING_MAX = 1e9;
const GAIN_MIN = 1e-14;

/** By Levenberg and Marquardt. `undefined` where no curve above 0 is found. */
function leastSquares(points: readonly LoadPoint[]): Terms | undefined {
  // Linear where the weights are taken from what was measured.
  const measured = points.map(({ throughput }) => throughput);
  let terms = solve(normalOf(points, measured), gradientOf(points, measured, measured));
  let [error, damping] = [squares(points, terms), 1e-3];
  for (let step = 0; step < STEPS_MAX && damping < DAMPING_MAX; step++) {
    const fitted = points.map(({ load }) => valueOf(terms, load));
    const distances = points.map(({ throughput }, i) => (fitted[i] as number) - throughput);
    const normal = normalOf(points, fitted).map((row, i) =>
      row.map((value, j) => (i === j ? value * (1 + damping) : value)),
    );
    const move = solve(normal, gradientOf(points, fitted, distances));
    const next = [terms[0] + move[0], terms[1] + move[1], terms[2] + move[2]] as const;
    const nextError = squares(points, next);
    if (nextError < error) {
      const isDone = error - nextError <= error * GAIN_MIN;
      [terms, error, damping] = [next, nextError, damping / 10];
      if (isDone) break;
    } else damping *= 10;
  }
  return Number.isFinite(error) ? terms : undefined;
}

function valueOf([a, b, c]: Terms, load: number): number {
  return load / (a + b * load + c * load * load);
}

/** Sum of squared distances; not a number where the curve is not above 0. */
function squares(points: readonly LoadPoint[], terms: Terms): number {
  return points.reduce((sum, { load, throughput }) => {
    const value = valueOf(terms, load);
    return value > 0 ? sum + (value - throughput) ** 2 : Number.NaN;
  }, 0);
}

/** How much less the throughput is for one more of each term. */
function slopesOf({ load }: LoadPoint, throughput: number): Terms {
  const squared = throughput * throughput;
  return [squared / load, squared, squared * load];
}

function normalOf(points: readonly LoadPoint[], values: readonly number[]) {
  const sums = [0, 1, 2].map(() => [0, 0, 0]);
  for (const [index, point] of points.entries()) {
    const slopes = slopesOf(point, values[index] as number);
    for (const [i, row] of sums.entries()) {
      for (const j of row.keys()) {
        row[j] = (row[j] as number) + (slopes[i] as number) * (slopes[j] as number);
      }
    }
  }
  return sums;
}

function gradientOf(
  points: readonly LoadPoint[],
  values: readonly number[],
  targets: readonly number[],
): Terms {
  return points.reduce<Terms>(
    ([a, b, c], point, index) => {
      const [ofA, ofB, ofC] = slopesOf(point, values[index] as number);
      const target = targets[index] as number;
      return [a + ofA * target, b + ofB * target, c + ofC * target];
    },
    [0, 0, 0],
  );
}

/** Not finite where there is no single solution. */
function solve(matrix: readonly (readonly number[])[], right: Terms): Terms {
  const inverse = invert(matrix);
  const [a = 0, b = 0, c = 0] = inverse.map((row) =>
    row.reduce((sum, value, j) => sum + value * (right[j] as number), 0),
  );
  return [a, b, c];
}

/** By Gauss and Jordan, for a positive definite matrix. */
function invert(matrix: readonly (readonly number[])[]): number[][] {
  const size = matrix.length;
  const rows = matrix.map((row, i) => [...row, ...row.map((_, j) => (i === j ? 1 : 0))]);
  for (const [pivot, own] of rows.entries()) {
    const scale = own[pivot] as number;
    for (const [j, value] of own.entries()) own[j] = value / scale;
    for (const [i, row] of rows.entries()) {
      const factor = row[pivot] as number;
      if (i !== pivot)
        for (const j of row.keys()) row[j] = (row[j] as number) - factor * (own[j] as number);
    }
  }
  return rows.map((row) => row.slice(size));
}
