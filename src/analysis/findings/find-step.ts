import type { SeriesColumns } from "../../model/data-points.ts";
import { type SecondRange, spanOf } from "../../model/columns.ts";
import { CountTable, tablesOf } from "../../series/count-table.ts";
import { paced } from "../../concurrency/yielder.ts";

/** Seconds compared on either side, and those in which most of the change must happen. */
export const SIDE_SECONDS = 60;

const EDGE_SECONDS = 15;

/** Requests of a block are not independent. */
const BLOCK_SECONDS = 5;
const RATIO_MIN = 1.5;
const RATIO_ALIKE = 0.9;

/** Evidence required to call one span slower than another. */
export interface Sureness {
  readonly requestsMin: number;
  readonly deviationsMin: number;
  readonly ratioMin: number;
}

/** Used where the time of the step is known. */
export const AT_A_STEP: Sureness = { requestsMin: 50, deviationsMin: 3, ratioMin: RATIO_MIN };

/** Used where the time is unknown: the share of slow requests must differ, and it or all response times by `CLEARNESS_MIN`. */
export const ANYWHERE: Sureness = { ...AT_A_STEP, requestsMin: 120 };

/** Over thousands of places chance reaches 4 standard deviations, hardly ever 6. */
const CLEARNESS_MIN = 6;
const EDGE_REQUESTS_MIN = 25;

/** Factor between the shares of slow requests after and before. */
const SLOW_SHARE_RATIO_MIN = 1.5;

/** Two levels must fit this much better than a rise over twice as many seconds. */
const FIT_MAX = 0.7;
const RISES_HALF_SECONDS = [SIDE_SECONDS / 2, SIDE_SECONDS];

export interface Step {
  /** First second after the step. */
  readonly at: number;
  readonly ratio: number;
  /** A response time between those before and after. */
  readonly middleMicros: number;
  /** Difference of the shares of slow requests before and after. */
  readonly sharpness: number;
}

/** Returns the steps within `places`, several seconds for each. The series is ascending. */
export async function findSteps(
  series: SeriesColumns,
  places: SecondRange,
): Promise<readonly Step[]> {
  const table = new CountTable(series);
  const steps: Step[] = [];
  for await (const at of paced(spanOf(series, places).second)) {
    const step = stepAt(table, at);
    if (step !== undefined) steps.push(step);
  }
  return steps;
}

/** Seconds around a step have similar ratios; the sharpest is its place. */
export function largestStep(steps: readonly Step[]): Step | undefined {
  const largest = steps.reduce((most, { ratio }) => Math.max(most, ratio), 0);
  const [found] = steps
    .filter(({ ratio }) => ratio > largest * RATIO_ALIKE)
    .toSorted((left, right) => right.sharpness - left.sharpness || left.at - right.at);
  return found;
}

/** First second after the step: the largest fall of the share of slow requests around the first minute that is back below. */
export function backFrom(
  series: SeriesColumns,
  { at, middleMicros }: Pick<Step, "at" | "middleMicros">,
): number | undefined {
  const isBack = (table: CountTable, second: number): boolean => {
    const span = { from: second, until: second + SIDE_SECONDS };
    return table.requests(span) >= ANYWHERE.requestsMin && percentile95(table, span) < middleMicros;
  };
  const later = spanOf(series, { from: at, until: Infinity });
  for (const { seconds, table } of tablesOf(later, SIDE_SECONDS)) {
    const found = seconds.find((second) => second >= at + SIDE_SECONDS && isBack(table, second));
    if (found !== undefined) return largestFall(table, found, middleMicros);
  }
  return undefined;
}

/** Within a minute of `about`: the best fit of two levels of the share of slow requests. */
function largestFall(table: CountTable, about: number, middleMicros: number): number {
  const [from, until] = [about - SIDE_SECONDS, about + SIDE_SECONDS];
  let [best, most] = [about, 0];
  for (let at = from + 1; at < until; at++) {
    const before = shareAbove(table, { from, until: at }, middleMicros);
    const after = shareAbove(table, { from: at, until }, middleMicros);
    const fall = before.value - after.value;
    const requests = (before.requests * after.requests) / (before.requests + after.requests);
    if (fall > 0 && fall ** 2 * requests > most) [best, most] = [at, fall ** 2 * requests];
  }
  return best;
}

export function isSlower(
  table: CountTable,
  before: SecondRange,
  after: SecondRange,
  { requestsMin, deviationsMin, ratioMin }: Sureness,
): boolean {
  if (Math.min(table.requests(before), table.requests(after)) < requestsMin) return false;
  const [low, high] = [percentile95(table, before), percentile95(table, after)];
  if (high < low * ratioMin) return false;
  // Slow: above the geometric middle of both.
  const middle = Math.sqrt(low * high);
  const [slowBefore, slowAfter] = [
    shareAbove(table, before, middle),
    shareAbove(table, after, middle),
  ];
  if (slowAfter.value < slowBefore.value * SLOW_SHARE_RATIO_MIN) return false;
  const deviation = Math.sqrt(varianceOf(slowBefore) + varianceOf(slowAfter));
  return slowAfter.value - slowBefore.value > deviationsMin * deviation;
}

function stepAt(table: CountTable, at: number): Step | undefined {
  const [before, after] = around(at, SIDE_SECONDS);
  if (!coversSide(table, before) || !coversSide(table, after)) return undefined;
  if (!isSlower(table, before, after, ANYWHERE)) return undefined;
  const [low, high] = [percentile95(table, before), percentile95(table, after)];
  const ratio = high / low;
  const edges = around(at, EDGE_SECONDS);
  if (edges.some((edge) => table.requests(edge) < EDGE_REQUESTS_MIN)) return undefined;
  const [edgeLow = 0, edgeHigh = 0] = edges.map((edge) => percentile95(table, edge));
  if (edgeHigh / edgeLow < Math.sqrt(ratio)) return undefined;
  const middleMicros = Math.sqrt(low * high);
  if (!isLasting(table, at, middleMicros)) return undefined;
  return { at, ratio, middleMicros, sharpness: changeOfShare(table, edges, middleMicros) };
}

function changeOfShare(
  table: CountTable,
  [before, after]: readonly [SecondRange, SecondRange],
  middleMicros: number,
): number {
  const [from, to] = [before, after].map((side) => shareAbove(table, side, middleMicros).value);
  return (to ?? 0) - (from ?? 0);
}

/**
 * Whether slow requests stay more frequent through the minute after, and do not rise steadily through both. Uses
 * the clearer of the share of slow requests and all response times.
 */
function isLasting(table: CountTable, at: number, middleMicros: number): boolean {
  const slow = sidesOf(at, (span) => shareAbove(table, span, middleMicros));
  if (clearness(slow) < ANYWHERE.deviationsMin) return false;
  const all = sidesOf(at, (span) => averageLogarithm(table, span));
  const [before, after] = clearness(all) > clearness(slow) ? all : slow;
  if (clearness([before, after]) < CLEARNESS_MIN) return false;
  const error = errorOfLevels(before, after);
  const both = [...before, ...after];
  return RISES_HALF_SECONDS.every((half) => error < FIT_MAX * errorOfRise(both, at, half));
}

type Sides = readonly [before: readonly Block[], after: readonly Block[]];

function sidesOf(at: number, measure: (span: SecondRange) => Block): Sides {
  const [before, after] = around(at, SIDE_SECONDS).map(({ from, until }) => {
    const blocks: Block[] = [];
    for (let begin = from; begin < until; begin += BLOCK_SECONDS) {
      const block = measure({ from: begin, until: begin + BLOCK_SECONDS });
      if (block.requests > 0) blocks.push(block);
    }
    return blocks;
  });
  return [before ?? [], after ?? []];
}

/** Standard deviations by which the second side is higher. */
function clearness([before, after]: Sides): number {
  const deviation = Math.sqrt(varianceOfAverage(before) + varianceOfAverage(after));
  return (averageOf(after) - averageOf(before)) / deviation;
}

function around(at: number, seconds: number): readonly [SecondRange, SecondRange] {
  return [
    { from: at - seconds, until: at },
    { from: at, until: at + seconds },
  ];
}

/** Requests must span the side, not a corner of it. */
function coversSide(table: CountTable, side: SecondRange): boolean {
  return table.coveredSeconds(side) >= SIDE_SECONDS * 0.75;
}

/** At least 1 microsecond, so that ratios exist. */
function percentile95(table: CountTable, span: SecondRange): number {
  return Math.max(1, table.quantileMicros(span, 0.95));
}

/** Share of requests above the column of `micros`; 0 without requests. */
function shareAbove(table: CountTable, span: SecondRange, micros: number): Block {
  const requests = table.requests(span);
  const above = table.requestsAbove(span, Math.round(micros));
  return {
    second: (span.from + span.until) / 2,
    value: requests === 0 ? 0 : above / requests,
    requests,
  };
}

function averageLogarithm(table: CountTable, span: SecondRange): Block {
  const requests = table.requests(span);
  const value = requests === 0 ? 0 : table.logarithms(span) / requests;
  return { second: (span.from + span.until) / 2, value, requests };
}

/** A share of 0 or 1 is taken as half a request off. */
function varianceOf({ value, requests }: Block): number {
  const careful = (value * requests + 0.5) / (requests + 1);
  return (careful * (1 - careful)) / requests;
}

export interface Block {
  /** Middle of its time, in seconds from any origin. */
  readonly second: number;
  readonly value: number;
  readonly requests: number;
}

/** Weighted by requests. */
export function averageOf(blocks: readonly Block[]): number {
  const requests = sum(blocks, (each) => each.requests);
  return sum(blocks, (each) => each.requests * each.value) / requests;
}

/** From the variation of blocks; infinite for a single block. */
export function varianceOfAverage(blocks: readonly Block[]): number {
  if (blocks.length < 2) return Infinity;
  const requests = sum(blocks, (each) => each.requests);
  const average = averageOf(blocks);
  const squares = sum(blocks, (each) => (each.requests * (each.value - average)) ** 2);
  return (squares / requests ** 2) * (blocks.length / (blocks.length - 1));
}

/** Squared error if each side has its own level. */
export function errorOfLevels(before: readonly Block[], after: readonly Block[]): number {
  const [low, high] = [averageOf(before), averageOf(after)];
  return errorOf(before, () => low) + errorOf(after, () => high);
}

/** Squared error of a linear rise from this many seconds before a moment to as many after, level outside. */
export function errorOfRise(blocks: readonly Block[], at: number, halfSeconds: number): number {
  const risen = ({ second }: Block) => Math.min(halfSeconds, Math.max(-halfSeconds, second - at));
  const requests = sum(blocks, (each) => each.requests);
  const middle = sum(blocks, (each) => each.requests * risen(each)) / requests;
  const average = averageOf(blocks);
  const spread = sum(blocks, (each) => each.requests * (risen(each) - middle) ** 2);
  const slope =
    sum(blocks, (each) => each.requests * (risen(each) - middle) * (each.value - average)) / spread;
  return errorOf(blocks, (each) => average + slope * (risen(each) - middle));
}

function errorOf(blocks: readonly Block[], expected: (block: Block) => number): number {
  return sum(blocks, (each) => each.requests * (each.value - expected(each)) ** 2);
}

function sum(blocks: readonly Block[], valueOf: (block: Block) => number): number {
  return blocks.reduce((total, each) => total + valueOf(each), 0);
}
