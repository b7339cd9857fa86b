import type { CapacityJson, Limited } from "../../api/findings.ts";
import {
  ALL_SECONDS,
  type SecondRange,
  averageOf,
  endOfPoints,
  longestPoint,
  medianOf,
  withoutSecondZero,
} from "../../model/columns.ts";
import { openOverall } from "../../query/read-overall.ts";
import { openPercentiles, type PercentileSeries } from "../../query/read-percentiles.ts";
import { readUsers, type UserPoint } from "../../query/read-users.ts";
import { readSourceFacts, remarksOn } from "../../query/source-facts.ts";
import type { SelectedPart } from "../../series/endpoint-selection.ts";
import { mergeAllSums } from "../../series/merge-all-series.ts";
import { sameMoment, type Snapshots, withSnapshot } from "../../series/open-snapshot.ts";
import type { Snapshot } from "../../store/snapshot.ts";
import { findPeak, LEVELS_MIN, type Peak } from "./find-peak.ts";

const WINDOWS_MAX = 120;

/** Throws `unknown-load-test`, `sum-too-large`, `damaged-store`. */
export async function readCapacity(points: Snapshots, query: SelectedPart): Promise<CapacityJson> {
  return withSnapshot(points, query, async (snapshot) => {
    const span = await readSpan(snapshot, query);
    const moment = sameMoment(snapshot);
    const series = await readSeries(moment, query, span);
    const users = await readUsers(moment, { ...query, range: ALL_SECONDS });
    const { remarks } = await readSourceFacts(snapshot);
    const quality = remarksOn(remarks, ["times", "windows", "users"]);
    return { ...capacityOf(windowsOf(series, span, users), users.length > 0), quality };
  });
}

interface Span extends SecondRange {
  readonly windowSeconds: number;
}

async function readSpan(snapshot: Snapshot, { selection, range }: SelectedPart): Promise<Span> {
  const overall = await openOverall(snapshot, selection);
  const seconds = withoutSecondZero(range ?? ALL_SECONDS);
  const sums = await mergeAllSums(overall.sums(seconds));
  const from = sums.second[0] ?? 0;
  const recordedSeconds = longestPoint(sums.windowSeconds);
  const until = endOfPoints(sums);
  // Of whole points: others would have the requests of one or of two.
  const points = Math.max(1, Math.ceil((until - from) / WINDOWS_MAX / recordedSeconds));
  return { from, until, windowSeconds: points * recordedSeconds };
}

async function readSeries(
  points: Snapshots,
  query: SelectedPart,
  { windowSeconds }: Span,
): Promise<PercentileSeries> {
  const wanted = { resolutionSeconds: windowSeconds, quantiles: [0.95], isMerged: true };
  const answer = await openPercentiles(points, { ...query, ...wanted });
  try {
    for await (const series of answer.series()) return series;
    throw new Error("BUG: no merged series");
  } finally {
    answer.release();
  }
}

/** The windows that lie wholly within the span and have a load; with users, also those in which no request counts. */
function windowsOf(
  { second, sums, quantileMicros }: PercentileSeries,
  { from, until, windowSeconds }: Span,
  points: readonly UserPoint[],
): readonly LoadWindow[] {
  const isByUsers = points.length > 0;
  const usersFrom = averagesOf(points, windowSeconds);
  const rows = new Map(Array.from(second, (start, row) => [start, row]));
  const first = Math.ceil(from / windowSeconds);
  const length = Math.max(0, Math.floor(until / windowSeconds) - first);
  return Array.from({ length }, (_, index) => {
    const start = (first + index) * windowSeconds;
    const row = rows.get(start) ?? -1;
    const requests = sums.requests[row] ?? 0;
    const reqPerSec = requests / windowSeconds;
    const micros = quantileMicros[0]?.[row] ?? Number.NaN;
    const load = isByUsers ? usersFrom(start) : reqPerSec;
    return { load, requests, reqPerSec, p95: Number.isNaN(micros) ? null : micros / 1_000_000 };
  }).filter(({ load }) => load > 0);
}

/** Returns the mean of active users from a second on; to be called with ascending seconds. */
function averagesOf(points: readonly UserPoint[], windowSeconds: number): (from: number) => number {
  let [next, users, reached] = [0, 0, 0];
  /** User seconds from what was reached before. */
  const advance = (until: number): number => {
    let sum = 0;
    for (;;) {
      const point = points[next];
      const end = Math.min(point?.second ?? until, until);
      sum += users * (end - reached);
      reached = end;
      if (point === undefined || point.second >= until) return sum;
      users = point.users;
      next += 1;
    }
  };
  return (from) => {
    advance(from);
    return advance(from + windowSeconds) / windowSeconds;
  };
}

function capacityOf(
  windows: readonly LoadWindow[],
  isByUsers: boolean,
): Omit<CapacityJson, "quality"> {
  const levels = levelsOf(windows);
  const [least, most] = [levels[0]?.load ?? 0, levels.at(-1)?.load ?? 0];
  const isLoadVaried = levels.length >= LEVELS_MIN && most >= 2 * least;
  const points = levels.map(({ load, reqPerSec }) => ({ load, throughput: reqPerSec }));
  const found = isLoadVaried && isByUsers ? findPeak(points) : undefined;
  const doubled = isLoadVaried ? findDoubling(levels) : undefined;
  return {
    loadUnit: isByUsers ? "users" : "rate",
    levels: levels.map(({ load, reqPerSec, p95 }) => {
      return { load: short(load), reqPerSec: short(reqPerSec), p95 };
    }),
    isLoadVaried,
    ...(found && { peak: peakOf(found) }),
    ...(doubled && { p95Doubled: { ...doubled, load: short(doubled.load) } }),
  };
}

function peakOf({ load, throughput, law: { slope, ceiling, coherency, sharpness } }: Peak) {
  const law = {
    secondsOfOne: short(slope),
    reqPerSecMax: short(ceiling),
    coherency: short(coherency),
    sharpness,
  };
  return { load: shorts(load), reqPerSec: shorts(throughput), law };
}

function short(value: number): number {
  return Number(value.toPrecision(6));
}

function shorts({ value, low, high }: Limited): Limited {
  return { value: short(value), low: short(low), high: short(high) };
}

export interface LoadLevel {
  /** Active users or requests per second; more than 0. */
  readonly load: number;
  readonly reqPerSec: number;
  /** 95th percentile in seconds; `null`: unknown. */
  readonly p95: number | null;
  readonly windows: number;
}

interface LoadWindow extends Omit<LoadLevel, "windows"> {
  readonly requests: number;
}

/** p95 of fewer requests is their maximum, which grows with their number. */
const REQUESTS_MIN = 20;

const LEVELS_MAX = 40;

/**
 * Merges windows of similar load into at most 40 levels, ascending, with means of load and throughput and medians of p95.
 * A long plateau therefore weighs as much as a short one.
 */
export function levelsOf(windows: readonly LoadWindow[]): LoadLevel[] {
  const most = Math.max(...windows.map(({ load }) => load));
  const byLevel = Map.groupBy(windows, ({ load }) => Math.ceil((load / most) * LEVELS_MAX));
  return [...byLevel.values()]
    .map((own) => {
      const known = own.flatMap(({ p95, requests }) =>
        p95 === null || requests < REQUESTS_MIN ? [] : [p95],
      );
      return {
        load: averageOf(Float64Array.from(own, ({ load }) => load)),
        reqPerSec: averageOf(Float64Array.from(own, ({ reqPerSec }) => reqPerSec)),
        p95: medianOf(Float64Array.from(known)) ?? null,
        windows: own.length,
      };
    })
    .toSorted((one, other) => one.load - other.load);
}

/** Fewer slow windows are not a limit: at least three, and one in sixteen of a long run. */
const WINDOWS_MIN = 3;
const WINDOWS_SHARE = 1 / 16;

/** At the largest loads, p95 must be beyond its double by this factor: the last levels alone may be slow by chance. */
const CLEARLY = 1.25;

/**
 * Finds the load from which p95 is twice that of the lowest fifth of the levels. By the isotonic regression of the levels,
 * as response times do not fall with the load but by noise; interpolated between two levels. `undefined` if there is none.
 */
export function findDoubling(levels: readonly LoadLevel[]): CapacityJson["p95Doubled"] {
  const known = levels.flatMap(({ p95, ...level }) => (p95 === null ? [] : [{ ...level, p95 }]));
  const lowest = known.slice(0, Math.ceil(known.length / 5));
  const p95Before = medianOf(Float64Array.from(lowest, ({ p95 }) => p95));
  if (p95Before === undefined || p95Before === 0) return undefined;
  const p95After = 2 * p95Before;
  const rising = isotonic(known);
  const index = rising.findIndex((p95) => p95 >= p95After);
  if (index < lowest.length || (rising.at(-1) ?? 0) < CLEARLY * p95After) return undefined;
  const windowsIn = (some: readonly LoadLevel[]) =>
    some.reduce((sum, each) => sum + each.windows, 0);
  const least = Math.max(WINDOWS_MIN, WINDOWS_SHARE * windowsIn(known));
  if (windowsIn(known.slice(index)) < least) return undefined;
  const [before, after] = [known[index - 1], known[index]];
  const [below, above] = [rising[index - 1], rising[index]];
  if (before === undefined || after === undefined) return undefined;
  if (below === undefined || above === undefined) return undefined;
  const share = (p95After - below) / (above - below);
  return { load: before.load + share * (after.load - before.load), p95Before, p95After };
}

interface Block {
  readonly levels: number;
  readonly windows: number;
  readonly logarithm: number;
}

/** Geometric means of adjacent levels, merged until none is below the one before (pool adjacent violators). */
function isotonic(levels: readonly (LoadLevel & { readonly p95: number })[]): readonly number[] {
  const blocks: Block[] = [];
  for (const { p95, windows } of levels) {
    let block: Block = { levels: 1, windows, logarithm: Math.log(p95) };
    for (;;) {
      const last = blocks.at(-1);
      if (last === undefined || last.logarithm <= block.logarithm) break;
      blocks.pop();
      const sum = last.windows + block.windows;
      const logarithm = (last.logarithm * last.windows + block.logarithm * block.windows) / sum;
      block = { levels: last.levels + block.levels, windows: sum, logarithm };
    }
    blocks.push(block);
  }
  return blocks.flatMap((block) =>
    Array.from({ length: block.levels }, () => Math.exp(block.logarithm)),
  );
}
