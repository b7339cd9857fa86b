/** The largest throughput and the load that reaches it, by a fitted law: docs/capacity.md. */

import type { Limited } from "../../api/findings.ts";
import { studentT } from "../student-t.ts";

export interface LoadPoint {
  /** Active users; more than 0. */
  readonly load: number;
  /** Requests per second. */
  readonly throughput: number;
}

/**
 * Throughput = load / (((slope)^k + (load / ceiling)^k)^(1 / k) + coherency * load²), k being the sharpness. With k = 1 it is
 * the Universal Scalability Law of Gunther; the larger k is, the sharper the bend from growth to a plateau.
 */
interface Law {
  /** Seconds that one user needs for a request, when alone. */
  readonly slope: number;
  /** Requests per second that are not exceeded; infinite if growth does not bend. */
  readonly ceiling: number;
  readonly coherency: number;
  readonly sharpness: number;
}

export interface Peak {
  /** The least load of the run that reaches 95 % of the largest throughput. */
  readonly load: Limited;
  readonly throughput: Limited;
  readonly law: Law;
}

export const LEVELS_MIN = 5;
const BLOCKS = 5;
const ERROR_PROBABILITY = 0.05;
/** Of the largest throughput. */
const REACHED = 0.95;

/** Throughput bends if the largest load has less than this of what growth like at the start would have given. */
const BENT_MAX = 0.75;
/** Of the largest load: there must be levels beyond the bend. */
const LOAD_MAX = 0.85;
/** Root of the mean squared distance, relative to the largest throughput; a law that fits worse says nothing. */
const MISFIT_MAX = 0.1;

/**
 * Fits a law to load levels, ascending; `undefined` if throughput does not bend well before the largest load, also without
 * one block of levels, or if the law does not fit. Needs 5 levels. The limits come from fits without one block of adjacent levels each (jackknife): distances
 * of adjacent levels from the law are alike, so that their variance alone would promise too much.
 */
export function findPeak(levels: readonly LoadPoint[]): Peak | undefined {
  if (levels.length < LEVELS_MIN) return undefined;
  const loads = levels.map(({ load }) => load);
  const [least, most] = [Math.min(...loads), Math.max(...loads)];
  const whole = bendOf(levels, least);
  if (whole === undefined || whole.load > LOAD_MAX * most || whole.efficiency > BENT_MAX) {
    return undefined;
  }
  if (whole.misfit > MISFIT_MAX * whole.throughput) return undefined;
  const others: Bend[] = [];
  for (let block = 0; block < BLOCKS; block++) {
    const isKept = (_: LoadPoint, index: number) =>
      Math.floor((index * BLOCKS) / levels.length) !== block;
    const other = bendOf(levels.filter(isKept), least);
    if (other === undefined || other.load === Infinity) return undefined;
    others.push(other);
  }
  // The average of the levels on the plateau is no better known than their distances say.
  const beyond = levels.filter(({ load }) => load >= whole.load).length;
  const leastError = whole.misfit / whole.throughput / Math.sqrt(beyond);
  const { law } = whole;
  return {
    load: limited(
      whole.load,
      others.map(({ load }) => load),
      0,
    ),
    throughput: limited(
      whole.throughput,
      others.map(({ throughput }) => throughput),
      leastError,
    ),
    law,
  };
}

/** In logarithms, so that limits are above 0. */
function limited(value: number, others: readonly number[], leastError: number): Limited {
  const logs = others.map((other) => Math.log(other));
  const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length;
  const squared = logs.reduce((sum, log) => sum + (log - mean) ** 2, 0);
  const freedom = logs.length - 1;
  const error = Math.hypot(Math.sqrt((squared * freedom) / logs.length), leastError);
  const factor = Math.exp(studentT(ERROR_PROBABILITY, freedom) * error);
  return { value, low: value / factor, high: value * factor };
}

interface Bend extends LoadPoint {
  readonly law: Law;
  /** Throughput at the largest load, of what growth like at the start would have given. */
  readonly efficiency: number;
  /** Requests per second: root of the mean squared distance. */
  readonly misfit: number;
}

/** Steps in which the load is searched, and how far beyond the largest one the largest throughput is, as a factor. */
const STEPS = 2000;
const BEYOND_MAX = 4;

/** `least`: what fewer users reach was not measured. */
function bendOf(points: readonly LoadPoint[], least: number): Bend | undefined {
  const most = points.at(-1)?.load ?? 0;
  // Relative to the largest load, so that the terms have similar magnitudes.
  const relative = points.map(({ load, throughput }) => ({ load: load / most, throughput }));
  const fit = bestFit(relative);
  if (fit === undefined) return undefined;
  const { terms, sharpness, error } = fit;
  const [a, b, c] = terms;
  const throughput = largest(terms, sharpness);
  const isReached = (_: unknown, step: number) =>
    valueOf(terms, sharpness, (step + 1) / STEPS) >= REACHED * throughput;
  const reached = Array.from({ length: BEYOND_MAX * STEPS }).findIndex(isReached);
  return {
    load: reached === -1 ? Infinity : Math.max(least, ((reached + 1) / STEPS) * most),
    throughput,
    efficiency: valueOf(terms, sharpness, 1) * a,
    misfit: Math.sqrt(error / points.length),
    law: { slope: a * most, ceiling: 1 / b, coherency: c / most, sharpness },
  };
}

/** Of all loads, so that it does not depend on how far the run went. */
function largest(terms: Terms, sharpness: number): number {
  const [, b, c] = terms;
  if (c === 0) return 1 / b;
  const loads = Array.from({ length: BEYOND_MAX * STEPS }, (_, step) => (step + 1) / STEPS);
  return loads.reduce((most, load) => Math.max(most, valueOf(terms, sharpness, load)), 0);
}

/** Of throughput = n / ((a^k + (bn)^k)^(1/k) + cn²), n being the load relative to the largest. */
type Terms = readonly [a: number, b: number, c: number];

interface Fit {
  readonly terms: Terms;
  readonly sharpness: number;
  /** Sum of squared distances. */
  readonly error: number;
}

const SHARPNESSES = [1, 2, 4, 8, 16, 32];

/** The sharpness that fits best; a falling throughput (c > 0) must be worth its term. */
function bestFit(points: readonly LoadPoint[]): Fit | undefined {
  let [best, least]: [Fit | undefined, number] = [undefined, Infinity];
  for (const sharpness of SHARPNESSES) {
    for (const size of [2, 3]) {
      const fit = leastSquares(points, sharpness, size);
      const cost = fit.error * (1 + (2 * (size - 2)) / points.length);
      if (cost < least) [best, least] = [fit, cost];
    }
  }
  return best;
}

const STEPS_MAX = 200;
const DAMPING_MAX = 1e9;
const GAIN_MIN = 1e-12;

/** By Levenberg and Marquardt, over the first `size` terms. The error is not a number where no curve above 0 is found. */
function leastSquares(points: readonly LoadPoint[], sharpness: number, size: number): Fit {
  const least = Math.min(...points.map(({ load, throughput }) => load / throughput));
  const highest = Math.max(...points.map(({ throughput }) => throughput));
  let terms: Terms = [least, 1 / highest, 0];
  let [error, damping] = [squares(points, terms, sharpness), 1e-2];
  for (let step = 0; step < STEPS_MAX && damping < DAMPING_MAX; step++) {
    const next = moved(points, terms, { sharpness, size, damping });
    const nextError = next === undefined ? Number.NaN : squares(points, next, sharpness);
    if (next !== undefined && nextError < error) {
      const isDone = error - nextError <= error * GAIN_MIN;
      [terms, error, damping] = [next, nextError, damping / 10];
      if (isDone) break;
    } else damping *= 4;
  }
  return { terms, sharpness, error };
}

interface Move {
  readonly sharpness: number;
  readonly size: number;
  readonly damping: number;
}

/** `undefined` where a term would be out of its range. */
function moved(
  points: readonly LoadPoint[],
  terms: Terms,
  { sharpness, size, damping }: Move,
): Terms | undefined {
  const normal = Array.from({ length: size }, () => Array.from({ length: size }, () => 0));
  const gradient = Array.from({ length: size }, () => 0);
  for (const { load, throughput } of points) {
    const value = valueOf(terms, sharpness, load);
    const slopes = slopesOf(terms, sharpness, load).slice(0, size);
    for (const [i, slope] of slopes.entries()) {
      gradient[i] = (gradient[i] as number) + slope * (throughput - value);
      const row = normal[i] as number[];
      for (const [j, other] of slopes.entries()) row[j] = (row[j] as number) + slope * other;
    }
  }
  for (const [i, row] of normal.entries()) row[i] = (row[i] as number) * (1 + damping);
  const inverse = invert(normal);
  const [a = 0, b = 0, c = 0] = inverse.map((row) =>
    row.reduce((sum, value, j) => sum + value * (gradient[j] as number), 0),
  );
  const next: Terms = [terms[0] + a, terms[1] + b, terms[2] + c];
  return next[0] > 0 && next[1] > 0 && next[2] >= 0 ? next : undefined;
}

/** Scaled by the larger term, as powers of small numbers vanish. */
function bent([a, b]: Terms, sharpness: number, load: number): number {
  const larger = Math.max(a, b * load);
  return (
    larger * ((a / larger) ** sharpness + ((b * load) / larger) ** sharpness) ** (1 / sharpness)
  );
}

function valueOf(terms: Terms, sharpness: number, load: number): number {
  return load / (bent(terms, sharpness, load) + terms[2] * load * load);
}

function squares(points: readonly LoadPoint[], terms: Terms, sharpness: number): number {
  return points.reduce(
    (sum, { load, throughput }) => sum + (valueOf(terms, sharpness, load) - throughput) ** 2,
    0,
  );
}

/** How much more the throughput is for one more of each term. */
function slopesOf(terms: Terms, sharpness: number, load: number): Terms {
  const [a, b] = terms;
  const [value, whole] = [valueOf(terms, sharpness, load), bent(terms, sharpness, load)];
  const squared = value * value;
  return [
    (-squared / load) * (a / whole) ** (sharpness - 1),
    -squared * ((b * load) / whole) ** (sharpness - 1),
    -squared * load,
  ];
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
