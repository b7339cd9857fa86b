import type { FailureKind } from "../../model/failures.ts";
import type { Burst } from "./find-burst.ts";
import type { Endpoint } from "../../model/load-test.ts";
import { type FindingsScope, named, type NamedEndpoint, type WeightOf } from "./findings-scope.ts";

export interface BurstFinding extends Burst {
  /** The most frequent kind of failure, if recorded. */
  readonly kind: (FailureKind & { readonly failures: number }) | undefined;
  /** Endpoints with failures in it, most failures first. */
  readonly endpoints: readonly NamedEndpoint[];
}

/** Throws `sum-too-large`, `damaged-store`. */
export async function describeBurst(scope: FindingsScope, burst: Burst): Promise<BurstFinding> {
  const range = { from: burst.from, until: burst.until + 1 };
  const failing: (NamedEndpoint & { readonly failures: number })[] = [];
  const endpoints = await scope.candidates(range, failuresOf);
  for await (const { endpoint, columns } of scope.snapshot.read(endpoints, range, "sums")) {
    const failures = columns.failedRequests.reduce((sum, count) => sum + count, 0);
    if (failures > 0) failing.push({ ...named(endpoint), failures });
    if (scope.yielder.isDue()) await scope.yielder.next();
  }
  const most = failing.toSorted((left, right) => right.failures - left.failures);
  const kind = await kindOf(scope, burst, endpoints);
  return { ...burst, kind, endpoints: most.map(({ label, hash }) => ({ label, hash })) };
}

const failuresOf: WeightOf = ({ failedRequests }, from, until) => {
  let sum = 0;
  for (let point = from; point < until; point++) sum += failedRequests[point] as number;
  return sum === 0 ? Number.NaN : sum;
};

async function kindOf(
  scope: FindingsScope,
  burst: Burst,
  endpoints: readonly Endpoint[],
): Promise<BurstFinding["kind"]> {
  const range = { from: burst.from, until: burst.until + 1 };
  const counts = new Map<string, FailureKind & { failures: number }>();
  for await (const { kinds, kind, requests } of scope.snapshot.failures(endpoints, range)) {
    for (const [row, count] of requests.entries()) {
      const { code, message } = kinds[kind[row] as number] as FailureKind;
      const key = JSON.stringify([code, message]);
      const known = counts.get(key) ?? { code, message, failures: 0 };
      counts.set(key, { ...known, failures: known.failures + count });
    }
    if (scope.yielder.isDue()) await scope.yielder.next();
  }
  const [most] = [...counts.values()].toSorted((left, right) => right.failures - left.failures);
  return most !== undefined && most.failures * 2 > burst.failures ? most : undefined;
}
