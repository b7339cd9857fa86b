import type { DistributionColumns, SumColumns } from "../../model/data-points.ts";
import { bucketOf } from "../../model/histogram.ts";
import type { SecondRange } from "../../model/second-range.ts";
import { CountTable, tablesOf } from "../../series/count-table.ts";
import { spanOf } from "../../series/series-span.ts";
import type { TimeSlice } from "../../series/time-slice.ts";

/** Seconds on either side that are compared, and those in which most of the change has to happen. */
export const SIDE_SECONDS = 60;

const EDGE_SECONDS = 15;

/** Seconds whose requests are no evidence independent of each other. */
const BLOCK_SECONDS = 5;
const RATIO_MIN = 1.5;
const RATIO_ALIKE = 0.9;

/** How sure it has to be that one span is slower than another. */
export interface Sureness {
  readonly requestsMin: number;
  readonly deviationsMin: number;
  readonly ratioMin: number;
}

/** Where it is known already when to look. */
export const AT_A_STEP: Sureness = { requestsMin: 50, deviationsMin: 3, ratioMin: RATIO_MIN };

/** Anywhere: the share of slow requests has to differ so, and that or all response times by `CLEARNESS_MIN`. */
const ANYWHERE: Sureness = { ...AT_A_STEP, requestsMin: 120 };

/** With thousands of places looked at, chance reaches 4 standard deviations, hardly ever 6. */
const CLEARNESS_MIN = 6;
const EDGE_REQUESTS_MIN = 25;

/** So many times the share of slow requests before. */
const SLOW_SHARE_RATIO_MIN = 1.5;

/** Two levels have to fit so much better than a rise over twice so many seconds. */
const FIT_MAX = 0.7;
const RISES_HALF_SECONDS = [SIDE_SECONDS / 2, SIDE_SECONDS];

export interface Step {
  /** First second of the time after the step. */
  readonly at: number;
  readonly ratio: number;
  /** A response time between those before and after, in microseconds. */
  readonly middleMicros: number;
  /** By how much the share of slow requests differs between the seconds before and after. */
  readonly sharpness: number;
}

type Columns = SumColumns & DistributionColumns;

/** All seconds of `places` at which there is a step, several for each. Seconds of the series ascend. */
export async function findSteps(
  series: Columns,
  places: SecondRange,
  slice: TimeSlice,
): Promise<readonly Step[]> {
  const table = new CountTable(series);
  const steps: Step[] = [];
  for (const at of spanOf(series, places).second) {
    const step = stepAt(table, at);
    if (step !== undefined) steps.push(step);
    if (slice.isOver()) await slice.next();
  }
  return steps;
}

/** Seconds around a step are much the same by their ratio; the sharpest of them is its place. */
export function largestStep(steps: readonly Step[]): Step | undefined {
  const largest = steps.reduce((most, { ratio }) => Math.max(most, ratio), 0);
  const [found] = steps
    .filter(({ ratio }) => ratio > largest * RATIO_ALIKE)
    .toSorted((left, right) => right.sharpness - left.sharpness || left.at - right.at);
  return found;
}

/**
 * The first second after the step: where the share of slow requests falls most, around the first minute, a
 * minute after the step or later, that is back below.
 */
export function backFrom(series: Columns, { at, middleMicros }: Step): number | undefined {
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

/** Within a minute of `about`: where two levels of the share of slow requests fit best. */
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

/** Whether the time after differs from the time before as it does at a step. */
export function isSlower(
  table: CountTable,
  before: SecondRange,
  after: SecondRange,
  { requestsMin, deviationsMin, ratioMin }: Sureness,
): boolean {
  if (Math.min(table.requests(before), table.requests(after)) < requestsMin) return false;
  const [low, high] = [percentile95(table, before), percentile95(table, after)];
  if (high < low * ratioMin) return false;
  // Slow is what lies above the middle of both, on a logarithmic axis.
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

/** By how much the share of slow requests is larger after than before. */
function changeOfShare(
  table: CountTable,
  [before, after]: readonly [SecondRange, SecondRange],
  middleMicros: number,
): number {
  const [from, to] = [before, after].map((side) => shareAbove(table, side, middleMicros).value);
  return (to ?? 0) - (from ?? 0);
}

/**
 * Whether slow requests are more all through the minute after, and not ever more through both. That
 * is asked of what the step shows in most clearly: the share of slow requests, or all response times.
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

/** The blocks of both sides that have requests. */
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

/** By how many standard deviations the second side is higher. */
function clearness([before, after]: Sides): number {
  const deviation = Math.sqrt(varianceOfAverage(before) + varianceOfAverage(after));
  return (averageOf(after) - averageOf(before)) / deviation;
}

/** So many seconds before, and so many after. */
function around(at: number, seconds: number): readonly [SecondRange, SecondRange] {
  return [
    { from: at - seconds, until: at },
    { from: at, until: at + seconds },
  ];
}

/** Requests from begin to end of a side, not in a corner of it. */
function coversSide(table: CountTable, side: SecondRange): boolean {
  return table.coveredSeconds(side) >= SIDE_SECONDS * 0.75;
}

/** At least a microsecond, so that ratios can be told. */
function percentile95(table: CountTable, span: SecondRange): number {
  return Math.max(1, table.quantileMicros(span, 0.95));
}

/** Requests above the bucket that `micros` lies in; 0 of none. */
function shareAbove(table: CountTable, span: SecondRange, micros: number): Block {
  const requests = table.requests(span);
  const above = table.requestsAbove(span, bucketOf(Math.round(micros)));
  return {
    second: (span.from + span.until) / 2,
    value: requests === 0 ? 0 : above / requests,
    requests,
  };
}

function averageLogarithm(table: CountTable, span: SecondRange): Block {
  const requests = table.requests(span);
  const value = requests === 0 ? 0 : table.logarithms(span) / requests;
  return { second: middleOf(span), value, requests };
}

function middleOf({ from, until }: SecondRange): number {
  return (from + until) / 2;
}

/** Of a share; one that is 0 or 1 could as well be half a request off. */
function varianceOf({ value, requests }: Block): number {
  const careful = (value * requests + 0.5) / (requests + 1);
  return (careful * (1 - careful)) / requests;
}

/** How well what was measured in blocks of time is told by two levels, and how by a rise. */

/** Something by request, such as a share or an average. */
export interface Block {
  /** Middle of its time, in seconds from anywhere. */
  readonly second: number;
  readonly value: number;
  /** At least 1. */
  readonly requests: number;
}

/** The average of blocks, each by its requests. */
export function averageOf(blocks: readonly Block[]): number {
  const requests = sum(blocks, (each) => each.requests);
  return sum(blocks, (each) => each.requests * each.value) / requests;
}

/** Of the average, told by how much the blocks differ; infinite where there is one, which tells nothing of that. */
export function varianceOfAverage(blocks: readonly Block[]): number {
  if (blocks.length < 2) return Infinity;
  const requests = sum(blocks, (each) => each.requests);
  const average = averageOf(blocks);
  const squares = sum(blocks, (each) => (each.requests * (each.value - average)) ** 2);
  return (squares / requests ** 2) * (blocks.length / (blocks.length - 1));
}

/** The squared error that is left when each side has its own level. */
export function errorOfLevels(before: readonly Block[], after: readonly Block[]): number {
  const [low, high] = [averageOf(before), averageOf(after)];
  return errorOf(before, () => low) + errorOf(after, () => high);
}

/**
 * The squared error that is left when values rise (or fall) evenly from so many seconds before a moment
 * until so many after it, and are level before and after that.
 */
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
