import type { OmissionFinding, OmittedRequests } from "../../api/findings.ts";
import { type SecondRange, spanOf, sumOf } from "../../model/columns.ts";
import type { SeriesColumns, SumColumns } from "../../model/data-points.ts";
import { DistributionSum } from "../../series/distribution-sum.ts";
import { mergeAllSeries } from "../../series/merge-all-series.ts";
import { paced } from "../../concurrency/yielder.ts";
import { BEFORE_SECONDS, findLulls, type Lull, type Waiting, waitingIn } from "./find-stalls.ts";
import { type FindingsScope, readAsOne } from "./findings-scope.ts";
import { percentileAtLeast, waitsOf } from "./omitted-times.ts";

/** The largest ones. */
const LULLS_MAX = 50;

/** Around a lull, in which endpoints show how long they usually take. */
const USUAL_SECONDS = 600;

/** Of the time that the generator waited: requests of at least so long are those that it waited for. */
const LONG_SHARE = 0.5;

/** An endpoint with more such requests is slow by itself. */
const USUAL_SHARE_MAX = 0.05;

/**
 * Finds requests that were not sent, or late, because the load generator waited for others. `sums` are those of the scope in a range, by
 * second; of longer windows nothing is known. Throws `sum-too-large`, `damaged-store`.
 */
export async function readOmission(
  scope: FindingsScope,
  sums: SumColumns,
): Promise<OmissionFinding | undefined> {
  if (sums.windowSeconds?.some((seconds) => seconds > 1)) return undefined;
  const range = { from: sums.second[0] ?? 0, until: (sums.second.at(-1) ?? 0) + 1 };
  const lulls: Lull[] = [];
  for await (const lull of findLulls(sums)) {
    if (lull.isOver) lulls.push(lull);
  }
  const largest = lulls.toSorted((left, right) => right.missing - left.missing);
  const stalls: OmittedRequests[] = [];
  for (const lull of largest.slice(0, LULLS_MAX)) {
    const waiting = await readWaiting(scope, lull, range);
    if (waiting !== undefined) stalls.push(omittedIn(lull, waiting));
  }
  const [first] = stalls;
  if (first === undefined) return undefined;
  const { from, until } = first;
  return {
    kind: "omission",
    from,
    until,
    ...(await readPercentiles(scope, stalls, range)),
    stalls,
  };
}

function omittedIn({ from, until, missing, surplus }: Lull, waiting: Waiting): OmittedRequests {
  return {
    from,
    until: until - 1,
    requests: Math.round(missing),
    waitSeconds: Number(waiting.seconds.toPrecision(3)),
    // After a stall all users who waited go on at once.
    isLate: surplus - waiting.requests >= missing / 2,
  };
}

/** `undefined` if nothing unusual was in flight. */
async function readWaiting(
  scope: FindingsScope,
  lull: Lull,
  range: SecondRange,
): Promise<Waiting | undefined> {
  const around = { from: Math.max(range.from, lull.from - BEFORE_SECONDS), until: lull.until };
  const waiting = waitingIn(lull, await readAsOne(scope, around, 1));
  if (waiting === undefined) return undefined;
  const longMicros = waiting.seconds * LONG_SHARE * 1_000_000;
  const wide = {
    from: Math.max(range.from, lull.from - USUAL_SECONDS),
    until: Math.min(range.until, lull.until + USUAL_SECONDS),
  };
  const { snapshot } = scope;
  const endpoints = await scope.candidates(around, ({ elapsedMicros }, from, until) =>
    sumOf(elapsedMicros, from, until),
  );
  const unusual: { readonly columns: SeriesColumns }[] = [];
  for await (const { columns } of paced(snapshot.read(endpoints, wide, "distribution"))) {
    if (usualShareOf(columns, lull, longMicros) > USUAL_SHARE_MAX) continue;
    unusual.push({ columns: spanOf(columns, around) });
  }
  return waitingIn(lull, await mergeAllSeries(paced(unusual)));
}

/** Of the requests that began outside of a lull. */
function usualShareOf(columns: SeriesColumns, lull: SecondRange, longMicros: number): number {
  const outside = new DistributionSum();
  outside.addSpan(columns, { from: 0, until: lull.from - 1 });
  outside.addSpan(columns, { from: lull.until, until: Infinity });
  const { distributedRequests: all } = outside;
  return all === 0 ? 0 : (all - outside.requestsWithin(longMicros)) / all;
}

async function readPercentiles(
  scope: FindingsScope,
  stalls: readonly OmittedRequests[],
  range: SecondRange,
): Promise<Omit<OmissionFinding, "kind" | "from" | "until" | "stalls">> {
  const all = new DistributionSum();
  for await (const { columns } of paced(scope.overall.distributions(range))) all.add(columns);
  const recorded = (percent: number): number | null => {
    const [micros] = all.quantiles([percent / 100]);
    return micros === undefined ? null : micros / 1_000_000;
  };
  const count = Number(all.requests);
  const waiting = waitsOf(stalls, 1);
  const atLeast = (percent: number): number =>
    Math.max(recorded(percent) ?? 0, percentileAtLeast(percent, waiting, count));
  return {
    count,
    p95: recorded(95),
    p95AtLeast: atLeast(95),
    p99: recorded(99),
    p99AtLeast: atLeast(99),
  };
}
