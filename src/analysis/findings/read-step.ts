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

/** The largest step up within `span`. Throws `sum-too-large`, `damaged-store`. */
export async function readStep(
  scope: FindingsScope,
  span: SecondRange,
): Promise<StepFinding | undefined> {
  const seconds = span.until - span.from;
  const found = await (seconds <= SECONDS_AT_ONCE
    ? readStepAtOnce(scope, span)
    : readStepInWindows(scope, span));
  return found === undefined ? undefined : describe(scope, span, found);
}

interface FoundStep {
  readonly step: Step;
  readonly backAt: number | undefined;
}

async function readStepAtOnce(
  scope: FindingsScope,
  span: SecondRange,
): Promise<FoundStep | undefined> {
  const series = await readAsOne(scope, span, 1);
  const step = largestStep(await findSteps(series, span));
  return step === undefined ? undefined : { step, backAt: backFrom(series, step) };
}

async function readStepInWindows(
  scope: FindingsScope,
  span: SecondRange,
): Promise<FoundStep | undefined> {
  const length = (span.until - span.from) / WINDOWS_MAX;
  const windowSeconds = Math.max(WINDOW_SECONDS_MIN, Math.ceil(length));
  const windows = await readAsOne(scope, span, windowSeconds);
  const steps: Step[] = [];
  for await (const place of paced(await stepPlaces(windows, windowSeconds))) {
    const around = within(span, place.from - SIDE_SECONDS, place.until + SIDE_SECONDS);
    const series = await readAsOne(scope, around, 1);
    steps.push(...(await findSteps(series, place)));
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
  const backAt = backFrom(await readAsOne(scope, around, 1), step) ?? about;
  return { step, backAt };
}

function within(span: SecondRange, from: number, until: number): SecondRange {
  return { from: Math.max(span.from, from), until: Math.min(span.until, until) };
}

async function describe(
  scope: FindingsScope,
  span: SecondRange,
  { step: { at }, backAt }: FoundStep,
): Promise<StepFinding> {
  const before = within(span, at - SIDE_SECONDS, at);
  const after = within(span, at, at + SIDE_SECONDS);
  const both = { from: before.from, until: after.until };
  const sums = { before: new DistributionSum(), after: new DistributionSum() };
  const asOne = await readAsOne(scope, both, 1);
  sums.before.addSpan(asOne, before);
  sums.after.addSpan(asOne, after);
  const endpoints = await scope.candidates(both, requestsAround(before, after));
  const slower: (NamedEndpoint & { readonly addedMicros: number })[] = [];
  for await (const { endpoint, columns } of paced(
    scope.snapshot.read(endpoints, both, "distribution"),
  )) {
    if (isSlower(new CountTable(columns), before, after, AT_A_STEP)) {
      const [usual, then] = [new DistributionSum(), new DistributionSum()];
      usual.addSpan(columns, before);
      then.addSpan(columns, after);
      const expected =
        (Number(usual.elapsedMicros) / Number(usual.requests)) * Number(then.requests);
      slower.push({ ...named(endpoint), addedMicros: Number(then.elapsedMicros) - expected });
    }
  }
  const facets = await facetsOfStep(scope, before, after);
  const worst = slower.toSorted((left, right) => right.addedMicros - left.addedMicros);
  return {
    kind: "step",
    at,
    p95Before: percentile95(sums.before),
    p95After: percentile95(sums.after),
    backAt,
    endpoints: worst.map(({ label, hash }) => ({ label, hash })),
    ...(facets.length > 0 && { facets }),
  };
}

/** Requests of an endpoint, if enough on both sides to tell whether it became slower. */
function requestsAround(before: SecondRange, after: SecondRange): WeightOf {
  return ({ second, requests }, from, until) => {
    let [earlier, later] = [0, 0];
    for (let point = from; point < until; point++) {
      const at = second[point] as number;
      if (at >= before.from && at < before.until) earlier += requests[point] as number;
      if (at >= after.from && at < after.until) later += requests[point] as number;
    }
    return Math.min(earlier, later) < AT_A_STEP.requestsMin ? Number.NaN : earlier + later;
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
