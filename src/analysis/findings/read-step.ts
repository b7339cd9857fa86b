import type { NamedEndpoint, StepFinding } from "../../api/findings.ts";
import type { SeriesColumns } from "../../model/data-points.ts";
import type { SecondRange } from "../../model/columns.ts";
import { CountTable, tablesOf } from "../../series/count-table.ts";
import { DistributionSum } from "../../series/distribution-sum.ts";
import {
  AT_A_STEP,
  SIDE_SECONDS,
  type Step,
  type Sureness,
  backFrom,
  findSteps,
  isSlower,
  largestStep,
} from "./find-step.ts";
import { facetsOfStep } from "./incident-facets.ts";
import { type FindingsScope, type WeightOf, named, readAsOne } from "./findings-scope.ts";
import { paced } from "../../concurrency/yielder.ts";

/** Weaker evidence for a closer look: windows flatten a step. */
const PERHAPS: Sureness = { requestsMin: 120, deviationsMin: 4, ratioMin: 1.25 };

/** Places inspected, largest change first. */
const PLACES_MAX = 20;

/** Longer load tests are first searched in windows. */
const SECONDS_AT_ONCE = 1200;
const WINDOW_SECONDS_MIN = 30;
/** Three days of the shortest windows; longer load tests have longer windows. */
const WINDOWS_MAX = 8640;

export interface FoundStep {
  readonly step: Step;
  readonly backAt: number | undefined;
}

/** Reads the seconds of a range, merged into windows. */
export type ReadSeries = (range: SecondRange, windowSeconds: number) => Promise<SeriesColumns>;

/** Reads all endpoints as one; `span` in windows of `wholeWindowSeconds` only once. */
export function readingAll(scope: FindingsScope, span: SecondRange): ReadSeries {
  let whole: Promise<SeriesColumns> | undefined;
  return (range, windowSeconds) =>
    range === span && windowSeconds === wholeWindowSeconds(span)
      ? (whole ??= readAsOne(scope, range, windowSeconds))
      : readAsOne(scope, range, windowSeconds);
}

/** Windows in which a whole load test is searched. */
export function wholeWindowSeconds({ from, until }: SecondRange): number {
  const seconds = until - from;
  if (seconds <= SECONDS_AT_ONCE) return 1;
  return Math.max(WINDOW_SECONDS_MIN, Math.ceil(seconds / WINDOWS_MAX));
}

/** The largest step up within `span`. Throws `sum-too-large`, `damaged-store`. */
export async function readStep(
  read: ReadSeries,
  span: SecondRange,
): Promise<FoundStep | undefined> {
  return wholeWindowSeconds(span) === 1
    ? readStepAtOnce(read, span)
    : readStepInWindows(read, span);
}

async function readStepAtOnce(read: ReadSeries, span: SecondRange): Promise<FoundStep | undefined> {
  const series = await read(span, 1);
  const step = largestStep(await findSteps(series, span));
  return step === undefined ? undefined : { step, backAt: backFrom(series, step) };
}

async function readStepInWindows(
  read: ReadSeries,
  span: SecondRange,
): Promise<FoundStep | undefined> {
  const windowSeconds = wholeWindowSeconds(span);
  const windows = await read(span, windowSeconds);
  const steps: Step[] = [];
  for await (const place of paced(await stepPlaces(windows, windowSeconds))) {
    const around = within(span, place.from - SIDE_SECONDS, place.until + SIDE_SECONDS);
    steps.push(...(await findSteps(await read(around, 1), place)));
  }
  const step = largestStep(steps);
  if (step === undefined) return undefined;
  const about = backFrom(windows, step);
  if (about === undefined) return { step, backAt: undefined };
  const around = within(
    span,
    about - windowSeconds - SIDE_SECONDS,
    about + windowSeconds + 2 * SIDE_SECONDS,
  );
  const backAt = backFrom(await read(around, 1), step) ?? about;
  return { step, backAt };
}

function within(span: SecondRange, from: number, until: number): SecondRange {
  return { from: Math.max(span.from, from), until: Math.min(span.until, until) };
}

/** Seconds in which requests take longer than in the minute before. */
export interface Slowness {
  readonly at: number;
  /** The end of the seconds to compare with that minute. */
  readonly until: number;
  readonly backAt: number | undefined;
  /** What it takes to call an endpoint slower. */
  readonly sureness: Sureness;
}

export function slownessOf({ step: { at }, backAt }: FoundStep): Slowness {
  const until = Math.min(at + SIDE_SECONDS, backAt ?? Infinity);
  return { at, until, backAt, sureness: AT_A_STEP };
}

/** Throws `sum-too-large`, `damaged-store`. */
export async function describeSlowness(
  scope: FindingsScope,
  read: ReadSeries,
  span: SecondRange,
  slowness: Slowness,
): Promise<StepFinding> {
  const { at, backAt } = slowness;
  const { before, after } = sidesOf(span, slowness);
  const figures = await percentilesAround(read, span, slowness);
  const endpoints = await slowerEndpoints(scope, span, slowness);
  const facets = await facetsOfStep(scope, before, after);
  return {
    kind: "step",
    at,
    ...figures,
    backAt,
    endpoints,
    ...(facets.length > 0 && { facets }),
  };
}

function sidesOf(span: SecondRange, { at, until }: Slowness) {
  return { before: within(span, at - SIDE_SECONDS, at), after: within(span, at, until) };
}

/** Those that became slower by themselves, the most time added first. */
export async function slowerEndpoints(
  scope: FindingsScope,
  span: SecondRange,
  slowness: Slowness,
): Promise<readonly NamedEndpoint[]> {
  const { before, after } = sidesOf(span, slowness);
  const both = { from: before.from, until: after.until };
  const { sureness } = slowness;
  const endpoints = await scope.candidates(
    both,
    requestsAround(before, after, sureness.requestsMin),
  );
  const slower: (NamedEndpoint & { readonly addedMicros: number })[] = [];
  for await (const { endpoint, columns } of paced(
    scope.snapshot.read(endpoints, both, "distribution"),
  )) {
    if (isSlower(new CountTable(columns), before, after, sureness)) {
      const [usual, then] = [new DistributionSum(), new DistributionSum()];
      usual.addSpan(columns, before);
      then.addSpan(columns, after);
      const expected =
        (Number(usual.elapsedMicros) / Number(usual.requests)) * Number(then.requests);
      slower.push({ ...named(endpoint), addedMicros: Number(then.elapsedMicros) - expected });
    }
  }
  const worst = slower.toSorted((left, right) => right.addedMicros - left.addedMicros);
  return worst.map(({ label, hash }) => ({ label, hash }));
}

/** p95 of the minute before and of the seconds after, in seconds. */
export async function percentilesAround(
  read: ReadSeries,
  span: SecondRange,
  slowness: Slowness,
): Promise<Pick<StepFinding, "p95Before" | "p95After">> {
  const { before, after } = sidesOf(span, slowness);
  const series = await read({ from: before.from, until: after.until }, 1);
  const sums = { before: new DistributionSum(), after: new DistributionSum() };
  sums.before.addSpan(series, before);
  sums.after.addSpan(series, after);
  return { p95Before: percentile95(sums.before), p95After: percentile95(sums.after) };
}

/** Requests of an endpoint, if enough on both sides to tell whether it became slower. */
function requestsAround(before: SecondRange, after: SecondRange, requestsMin: number): WeightOf {
  return ({ second, requests }, from, until) => {
    let [earlier, later] = [0, 0];
    for (let point = from; point < until; point++) {
      const at = second[point] as number;
      if (at >= before.from && at < before.until) earlier += requests[point] as number;
      if (at >= after.from && at < after.until) later += requests[point] as number;
    }
    return Math.min(earlier, later) < requestsMin ? Number.NaN : earlier + later;
  };
}

/** In seconds. */
function percentile95(sum: DistributionSum): number {
  return (sum.quantiles([0.95])[0] ?? 0) / 1_000_000;
}

interface Place {
  readonly at: number;
  readonly ratio: number;
}

/** Ranges of seconds, a few windows each, that may contain a step. */
export async function stepPlaces(
  series: SeriesColumns,
  windowSeconds: number,
): Promise<readonly SecondRange[]> {
  const places: Place[] = [];
  const reachSeconds = windowSeconds + Math.max(SIDE_SECONDS, windowSeconds);
  for await (const { seconds, table } of paced(tablesOf(series, reachSeconds))) {
    for await (const second of paced(seconds)) {
      const place = placeAt(table, second, windowSeconds);
      if (place !== undefined) places.push(place);
    }
  }
  return largestApart(places, windowSeconds).map((at) => ({
    from: at - 2 * windowSeconds,
    until: at + windowSeconds,
  }));
}

/** Excludes the window before `at`: the step may be anywhere in it. */
function placeAt(table: CountTable, at: number, windowSeconds: number): Place | undefined {
  const side = Math.max(SIDE_SECONDS, windowSeconds);
  const before = { from: at - windowSeconds - side, until: at - windowSeconds };
  const after = { from: at, until: at + side };
  if (!isSlower(table, before, after, PERHAPS)) return undefined;
  const ratio = table.quantileMicros(after, 0.95) / Math.max(1, table.quantileMicros(before, 0.95));
  return { at, ratio };
}

/** Neighbours of a larger one are the same step. */
function largestApart(places: readonly Place[], windowSeconds: number): number[] {
  const chosen: number[] = [];
  for (const { at } of places.toSorted((left, right) => right.ratio - left.ratio)) {
    if (chosen.length === PLACES_MAX) break;
    if (chosen.every((other) => Math.abs(other - at) > windowSeconds)) chosen.push(at);
  }
  return chosen;
}
