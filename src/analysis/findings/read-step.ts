import type { BurstFinding, NamedEndpoint, StepFinding } from "../../api/findings.ts";
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
import { TOUCHING_SECONDS } from "./incidents.ts";
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
  const steps =
    wholeWindowSeconds(span) === 1
      ? await findSteps(await read(span, 1), span)
      : await stepsInWindows(read, span);
  const step = largestStep(steps);
  return step && { step, backAt: await readBack(read, span, step) };
}

async function stepsInWindows(read: ReadSeries, span: SecondRange): Promise<readonly Step[]> {
  const windowSeconds = wholeWindowSeconds(span);
  const windows = await read(span, windowSeconds);
  const steps: Step[] = [];
  for await (const place of paced(await stepPlaces(windows, windowSeconds))) {
    const around = within(span, place.from - SIDE_SECONDS, place.until + SIDE_SECONDS);
    steps.push(...(await findSteps(await read(around, 1), place)));
  }
  return steps;
}

async function readBack(
  read: ReadSeries,
  span: SecondRange,
  step: Pick<Step, "at" | "middleMicros">,
): Promise<number | undefined> {
  const windowSeconds = wholeWindowSeconds(span);
  const about = backFrom(await read(span, windowSeconds), step);
  if (about === undefined || windowSeconds === 1) return about;
  const around = within(
    span,
    about - windowSeconds - SIDE_SECONDS,
    about + windowSeconds + 2 * SIDE_SECONDS,
  );
  return backFrom(await read(around, 1), step) ?? about;
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

/** First and last second. */
type Seconds = Pick<BurstFinding, "from" | "until">;

/** Where a slowness was found, and the bursts of failures in the same span. */
export interface SlownessReading {
  readonly read: ReadSeries;
  readonly span: SecondRange;
  readonly bursts: readonly Seconds[];
}

export function slownessOf({ step: { at }, backAt }: FoundStep): Slowness {
  const until = Math.min(at + SIDE_SECONDS, backAt ?? Infinity);
  return { at, until, backAt, sureness: AT_A_STEP };
}

/** Figures of all requests, and the endpoints that became slower. Throws `sum-too-large`, `damaged-store`. */
export async function describeSlowness(
  scope: FindingsScope,
  { read, span, bursts }: SlownessReading,
  slowness: Slowness,
): Promise<StepFinding> {
  const { before, after } = sidesOf(span, slowness);
  const figures = await figuresOfSlowness({ read, span, bursts }, slowness);
  const endpoints = await slowerEndpoints(scope, span, slowness);
  const facets = await facetsOfStep(scope, before, after);
  return {
    kind: "step",
    ...figures,
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

type Figures = Pick<StepFinding, "at" | "p95Before" | "p95After" | "backAt">;

/** Describes a slowness from the requests that `read` returns. Throws what `readStep` throws. */
export async function figuresOfSlowness(
  { read, span, bursts }: SlownessReading,
  slowness: Slowness,
): Promise<Figures> {
  const { before, after } = sidesOf(span, slowness);
  const series = await read({ from: before.from, until: after.until }, 1);
  const sums = { before: new DistributionSum(), after: new DistributionSum() };
  sums.before.addSpan(series, before);
  sums.after.addSpan(series, after);
  const [p95Before, p95After] = [percentile95(sums.before), percentile95(sums.after)];
  const { at, backAt, sureness } = slowness;
  const figures = { at, p95Before, p95After, backAt };
  const burst = bursts.find((each) => covers(each, backAt));
  if (burst === undefined) return figures;
  const middleMicros = Math.sqrt(p95Before * p95After) * 1_000_000;
  const end = burst.until + 1;
  const next = within(span, end, end + SIDE_SECONDS);
  if (next.from >= next.until) return { ...figures, backAt: undefined };
  const table = new CountTable(await read(next, 1));
  const isBack =
    table.requests(next) >= sureness.requestsMin && table.quantileMicros(next, 0.95) < middleMicros;
  return isBack
    ? figures
    : { ...figures, backAt: await readBack(read, span, { at: end, middleMicros }) };
}

/** Whether requests fail at the end of a slowness, or right after it: those are often quick, and it may last. */
function covers({ from, until }: Seconds, backAt = -Infinity): boolean {
  return from <= backAt + TOUCHING_SECONDS && backAt <= until + 1;
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
