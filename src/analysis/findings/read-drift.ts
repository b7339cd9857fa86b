/** Response times that rise slowly under steady load: a memory leak, a growing table. */

import type { DriftFinding } from "../../api/findings.ts";
import { longestPoint, type SecondRange } from "../../model/columns.ts";
import type { SeriesColumns } from "../../model/data-points.ts";
import { CountTable } from "../../series/count-table.ts";
import { type Block, averageOf, errorOfLevels, errorOfRise } from "./find-step.ts";
import { type ReadSeries, wholeWindowSeconds } from "./read-step.ts";
import { inWindows } from "../../query/coarse-points.ts";
import { mergeSeries } from "../../model/merge-points.ts";

/** Approximate number of blocks, each of whole windows. */
const BLOCKS = 30;
const BLOCKS_MIN = 15;
const SECONDS_MIN = 600;

/** Of all blocks: the load is level while their requests are this near to the median, or fewer. */
const LOAD_ABOVE_MAX = 1.1;
const LOAD_BELOW_MIN = 0.6;

const REQUESTS_MIN = 40;

/** Of the geometric means of the last and the first fifth of the plateau. */
const RATIO_MIN = 1.3;

/** Share of the variation between blocks that a straight line explains. */
const EXPLAINED_MIN = 0.7;

/** Squared error of the line relative to that of the best two levels, which is small for a step. */
const OF_LEVELS_MAX = 0.8;

/** Share of the rise in each half of the plateau, and between its outermost fifths, which is small for a wave. */
const HALF_SHARE_MIN = 0.25;
const END_RISE_MIN = 0.1;

/** Of the plateau: p95 at its beginning and its end. */
const END_SHARE = 0.2;

/** Looks between the `spells`. Throws `sum-too-large`, `damaged-store`. */
export async function readDrift(
  read: ReadSeries,
  span: SecondRange,
  spells: readonly SecondRange[],
): Promise<DriftFinding | undefined> {
  const seconds = span.until - span.from;
  if (seconds < SECONDS_MIN) return undefined;
  const points = await read(span, wholeWindowSeconds(span));
  const pointSeconds = Math.max(wholeWindowSeconds(span), longestPoint(points.windowSeconds));
  // Of whole points: others would have the requests of one or of two.
  const windowSeconds = Math.max(1, Math.round(seconds / BLOCKS / pointSeconds)) * pointSeconds;
  const series = inWindows(points, windowSeconds, mergeSeries);
  const plateau = plateauOf(series);
  if (plateau === undefined) return undefined;
  const table = new CountTable(series);
  const isCalm = (second: number): boolean =>
    spells.every(({ from, until }) => until <= second || second + windowSeconds <= from);
  const calm = series.second.subarray(plateau.first, plateau.end).filter(isCalm);
  const blocks = Array.from(calm, (second) => {
    const own = { from: second, until: second + 1 };
    const requests = table.requests(own);
    return { second, requests, value: table.logarithms(own) / requests };
  });
  if (!isSlowRise(blocks)) return undefined;
  const [from, until] = [blocks[0]?.second ?? 0, (blocks.at(-1)?.second ?? 0) + windowSeconds];
  const ends = Math.max(windowSeconds, (until - from) * END_SHARE);
  const p95 = (range: SecondRange): number => table.quantileMicros(range, 0.95) / 1_000_000;
  return {
    kind: "drift",
    from: Math.max(from, span.from),
    until: Math.min(until, span.until) - 1,
    p95Before: p95({ from, until: from + ends }),
    p95After: p95({ from: until - ends, until }),
  };
}

/** The longest blocks in a row with a level load; `undefined` if they are too few. */
function plateauOf({
  second,
  requests,
}: SeriesColumns): { readonly first: number; readonly end: number } | undefined {
  const median = requests.toSorted()[Math.floor(requests.length / 2)] ?? 0;
  // Blocks at both ends may be cut.
  let [best, first] = [{ first: 0, end: 0 }, 0];
  for (let at = 0; at <= second.length; at++) {
    const count = requests[at] ?? 0;
    const isLevel =
      count >= Math.max(REQUESTS_MIN, LOAD_BELOW_MIN * median) && count <= LOAD_ABOVE_MAX * median;
    if (isLevel) continue;
    if (at - first > best.end - best.first) best = { first, end: at };
    first = at + 1;
  }
  return best.end - best.first < BLOCKS_MIN ? undefined : best;
}

function isSlowRise(blocks: readonly Block[]): boolean {
  const ofLine = errorOfRise(blocks, 0, Infinity);
  if (ofLine > (1 - EXPLAINED_MIN) * errorOfLevels(blocks, [])) return false;
  const levels = blocks
    .slice(1)
    .map((_, at) => errorOfLevels(blocks.slice(0, at + 1), blocks.slice(at + 1)));
  if (ofLine > OF_LEVELS_MAX * Math.min(...levels)) return false;
  const fifths = Array.from({ length: 5 }, (_, fifth) =>
    averageOf(blocks.slice((fifth * blocks.length) / 5, ((fifth + 1) * blocks.length) / 5)),
  );
  const [first = 0, second = 0, middle = 0, fourth = 0, last = 0] = fifths;
  const whole = last - first;
  return (
    whole >= Math.log(RATIO_MIN) &&
    Math.min(middle - first, last - middle) >= HALF_SHARE_MIN * whole &&
    Math.min(second - first, last - fourth) >= END_RISE_MIN * whole
  );
}
