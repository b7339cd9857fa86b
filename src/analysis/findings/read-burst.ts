import type { SumColumns } from "../../model/data-points.ts";
import type { FailureKind } from "../../model/failures.ts";
import type { Endpoint } from "../../model/load-test.ts";
import type { BurstFinding, NamedEndpoint } from "../../api/findings.ts";
import { facetsOfBurst } from "./incident-facets.ts";
import { type FindingsScope, named, type WeightOf } from "./findings-scope.ts";
import { paced } from "../../concurrency/yielder.ts";
import { lowerBound, type SecondRange, sumOf } from "../../model/columns.ts";
import { type Excess, findExcesses } from "./find-excess.ts";

/** Where a burst was found. */
interface BurstEndpoints {
  /** @default all but `except` */
  readonly of?: Endpoint | undefined;
  readonly except?: readonly Endpoint[];
}

/** Throws `sum-too-large`, `damaged-store`. */
export async function describeBurst(
  scope: FindingsScope,
  { from, until, errCount }: Burst,
  allErrCount: number,
  { of, except = [] }: BurstEndpoints,
): Promise<BurstFinding> {
  const burst = { from, until, errCount, allErrCount };
  const range = { from, until: until + 1 };
  const failing: (NamedEndpoint & { readonly failures: number })[] = [];
  const excepted = new Set(except.map(({ label }) => label));
  const candidates = of === undefined ? await scope.candidates(range, failuresOf) : [of];
  const endpoints = candidates.filter(({ label }) => !excepted.has(label));
  for await (const { endpoint, columns } of paced(scope.snapshot.read(endpoints, range, "sums"))) {
    const failures = columns.failedRequests.reduce((total, count) => total + count, 0);
    if (failures > 0) failing.push({ ...named(endpoint), failures });
  }
  const most = failing.toSorted((left, right) => right.failures - left.failures);
  const failure = await kindOf(scope, errCount, range, endpoints);
  const byFailures = most.map(({ label, hash }) => ({ label, hash }));
  const facets = of === undefined && except.length === 0 ? await facetsOfBurst(scope, range) : [];
  return {
    kind: "burst",
    ...burst,
    failure,
    ...(of && { of: named(of) }),
    endpoints: byFailures,
    ...(facets.length > 0 && { facets }),
  };
}

const failuresOf: WeightOf = ({ failedRequests }, from, until) => {
  const failures = sumOf(failedRequests, from, until);
  return failures === 0 ? Number.NaN : failures;
};

async function kindOf(
  scope: FindingsScope,
  errCount: number,
  range: SecondRange,
  endpoints: readonly Endpoint[],
): Promise<BurstFinding["failure"]> {
  const counts = new Map<string, FailureKind & { count: number }>();
  for await (const { kinds, kind, requests } of paced(scope.snapshot.failures(endpoints, range))) {
    for (const [row, count] of requests.entries()) {
      const { code, message } = kinds[kind[row] as number] as FailureKind;
      const key = JSON.stringify([code, message]);
      const known = counts.get(key)?.count ?? 0;
      counts.set(key, { code, message, count: known + count });
    }
  }
  const [most] = [...counts.values()].toSorted((left, right) => right.count - left.count);
  return most !== undefined && most.count * 2 > errCount ? most : undefined;
}

/** Failures of all requests, or of one endpoint. */
export interface Burst extends Pick<BurstFinding, "from" | "until" | "errCount"> {
  readonly requests: number;
}

/** Bursts with less between them are one. */
const APART_SECONDS = 10;

/** Ranges in which far more requests fail than elsewhere, by time. */
export function findBursts(sums: SecondFailures): readonly Burst[] {
  const { second, requests, failedRequests, windowSeconds } = sums;
  const found = findExcesses({ requests, marked: failedRequests }).toSorted(
    (one, other) => one.first - other.first,
  );
  const endOf = (point: number): number =>
    (second[point] as number) + (windowSeconds?.[point] ?? 1);
  const joined: Excess[] = [];
  for (const { first, last } of found) {
    const before = joined.at(-1);
    const isNear =
      before !== undefined && (second[first] as number) - endOf(before.last) < APART_SECONDS;
    if (isNear) joined.pop();
    joined.push({ first: isNear ? before.first : first, last });
  }
  return joined.map(({ first, last }) => {
    const from = second[first] as number;
    const end = lowerBound(second, endOf(last));
    return {
      from,
      until: endOf(last) - 1,
      errCount: sumOf(failedRequests, first, end),
      requests: sumOf(requests, first, end),
    };
  });
}

export type SecondFailures = Pick<
  SumColumns,
  "second" | "requests" | "failedRequests" | "windowSeconds"
>;
