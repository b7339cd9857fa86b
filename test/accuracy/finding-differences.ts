/** Checks each statement of findings against the requests themselves. */

import type { Anomaly, BurstFinding, StepFinding } from "../../src/api/findings.ts";
import { nearestRank, sortedMicros } from "../independent/answers.mjs";
import type { IndependentSample } from "../independent/read-results.mjs";

type Samples = readonly IndependentSample[];

/** Percentiles are precise to 1 %, so a ratio of two may be off by twice that. */
const PRECISION = 0.01;
const RATIO_MIN = 1.5 * (1 - 2 * PRECISION);
const SIDE_SECONDS = 60;
const ENOUGH_REQUESTS = 120;

/** One line per false statement. */
export function findingDifferences(anomalies: readonly Anomaly[], samples: Samples): string[] {
  const known = samples.filter(({ second }) => second > 0n);
  const bursts = anomalies.filter((each) => each.kind === "burst");
  return anomalies.flatMap((anomaly) => {
    if (anomaly.kind === "step") return stepDifferences(anomaly, bursts, known);
    return anomaly.kind === "burst" ? burstDifferences(anomaly, bursts, known) : [];
  });
}

function stepDifferences(
  step: StepFinding,
  bursts: readonly BurstFinding[],
  all: Samples,
): string[] {
  const { at, backAt, of } = step;
  const samples = of === undefined ? all : all.filter(({ label }) => label === of.label);
  const end = Math.min(at + SIDE_SECONDS, backAt ?? Infinity);
  const [beforeMicros, afterMicros] = [step.p95Before * 1e6, step.p95After * 1e6];
  const before = percentile95(between(samples, at - SIDE_SECONDS, at));
  const after = percentile95(between(samples, at, end));
  const slow = step.endpoints.flatMap(({ label }) => {
    const own = all.filter((each) => each.label === label);
    const usual = percentile95(between(own, at - SIDE_SECONDS, at));
    return percentile95(between(own, at, end)) >= RATIO_MIN * usual
      ? []
      : [`${label} did not become slower at ${at}`];
  });
  return [
    ...(isNear(beforeMicros, before) ? [] : [`p95 before ${at} is ${before}, not ${beforeMicros}`]),
    ...(isNear(afterMicros, after) ? [] : [`p95 after ${at} is ${after}, not ${afterMicros}`]),
    ...(after >= RATIO_MIN * before ? [] : [`p95 at ${at} grows from ${before} to ${after} alone`]),
    ...slow,
    ...(end < at + SIDE_SECONDS
      ? []
      : durationDifferences(samples, { at, backAt, bursts, middle: Math.sqrt(before * after) })),
  ];
}

function isNear(got: number, want: number): boolean {
  return Math.abs(got - want) <= want * PRECISION;
}

interface Duration {
  readonly at: number;
  readonly backAt: number | undefined;
  readonly bursts: readonly BurstFinding[];
  /** Between the response times before and after, in microseconds. */
  readonly middle: number;
}

/** The minute from `backAt` on is below the middle again, and no whole minute before it is, other than one of failures. */
function durationDifferences(
  samples: Samples,
  { at, backAt: until, bursts, middle }: Duration,
): string[] {
  const seconds = [...new Set(samples.map(({ second }) => Number(second)))].toSorted(
    (left, right) => left - right,
  );
  const isBack = (second: number, margin: number) => {
    const minute = between(samples, second, second + SIDE_SECONDS);
    return sortedMicros(minute).length >= ENOUGH_REQUESTS && percentile95(minute) < middle * margin;
  };
  const early = seconds.find(
    (second) =>
      second >= at + SIDE_SECONDS &&
      second + SIDE_SECONDS <= (until ?? Infinity) &&
      bursts.every((burst) => burst.until < second || burst.from >= second + SIDE_SECONDS) &&
      isBack(second, 1 - 3 * PRECISION),
  );
  return [
    ...(early === undefined ? [] : [`the step at ${at} was over at ${early}, not ${until}`]),
    ...(until === undefined || isBack(until, 1 + 3 * PRECISION)
      ? []
      : [`the step at ${at} was not over at ${until}`]),
  ];
}

function burstDifferences(
  burst: BurstFinding,
  bursts: readonly BurstFinding[],
  all: Samples,
): string[] {
  const { from, until, errCount, allErrCount, failure, endpoints, of } = burst;
  const samples = of === undefined ? all : all.filter(({ label }) => label === of.label);
  const own = between(samples, from, until + 1);
  const elsewhere = samples.filter(({ second }) =>
    bursts.every((each) => second < BigInt(each.from) || second > BigInt(each.until)),
  );
  const [failed = 0, usual = 0] = [own, elsewhere].map((some) =>
    total(some, (each) => each.failed),
  );
  const [requests = 0, others = 0] = [own, elsewhere].map((some) =>
    total(some, (each) => each.requests),
  );
  const expected = others === 0 ? 0 : (usual / others) * requests;
  const statements: [string, boolean][] = [
    [`${errCount} failures`, failed === errCount],
    [`of ${allErrCount}`, total(samples, (each) => each.failed) === allErrCount],
    ["ten more than elsewhere", errCount - expected >= 9],
    ["three times as many as elsewhere", errCount >= 2.9 * expected],
    ["the endpoints", endpoints.map(({ label }) => label).join() === failingLabels(own).join()],
    ["the kind", failure === undefined || failure.count === ofKind(own, failure)],
    ["most of them", failure === undefined || 2 * failure.count > errCount],
  ];
  return statements.flatMap(([what, isTrue]) =>
    isTrue ? [] : [`the burst of ${from} to ${until}: ${what}`],
  );
}

/** Endpoints with failures, most failures first, then by label. */
function failingLabels(samples: Samples): string[] {
  const failures = [...Map.groupBy(samples, ({ label }) => label)].map(
    ([label, own]) => [label, total(own, (each) => each.failed)] as const,
  );
  return failures
    .filter(([, count]) => count > 0)
    .toSorted(
      ([left, few], [right, many]) =>
        many - few || Buffer.compare(Buffer.from(left), Buffer.from(right)),
    )
    .map(([label]) => label);
}

function ofKind(samples: Samples, { code, message }: { code: string; message: string }): number {
  const kinds = samples.flatMap((each) => each.kinds ?? []);
  return kinds
    .filter((kind) => kind.code === code && kind.message === message)
    .reduce((sum, { requests }) => sum + Number(requests), 0);
}

function between(samples: Samples, from: number, until: number): Samples {
  return samples.filter(({ second }) => second >= BigInt(from) && second < BigInt(until));
}

function percentile95(samples: Samples): number {
  return nearestRank(sortedMicros(samples), 0.95);
}

function total(samples: Samples, of: (sample: IndependentSample) => bigint): number {
  return Number(samples.reduce((sum, each) => sum + of(each), 0n));
}
