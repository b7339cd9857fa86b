import { keyOfKind, OTHER_FAILURES } from "../model/failures.ts";
import {
  type EndpointFailureKinds,
  type KindCount,
  mergedSeconds,
  mostFrequent,
} from "./read-failures.ts";
import { paced } from "../concurrency/yielder.ts";

/** Failure reasons over several endpoints. */
interface MergedFailures extends Pick<EndpointFailureKinds, "errCount" | "withoutKind"> {
  /** Most frequent first; at most `FAILURE_KINDS_MAX`, the rest is counted as `(other)`. */
  readonly kinds: readonly MergedKind[];
}

type MergedKind = KindCount & {
  /** Endpoints with this reason, most failures first. */
  readonly endpoints: readonly EndpointCount[];
};

type EndpointCount = Pick<EndpointFailureKinds, "label" | "hash"> & Pick<KindCount, "count">;

/** Merges the kinds of all endpoints, in windows of `resolutionSeconds`. Yields to other work between kinds. */
export async function mergeFailureKinds(
  endpoints: readonly EndpointFailureKinds[],
  resolutionSeconds: number,
): Promise<MergedFailures> {
  const parts = endpoints.flatMap(({ label, hash, kinds }) =>
    kinds.map((kind) => ({ ...kind, endpoints: [{ label, hash, count: kind.count }] })),
  );
  const merged: MergedKind[] = [];
  for await (const group of paced(Map.groupBy(parts, keyOfKind).values())) {
    merged.push(mergedKind(group, resolutionSeconds));
  }
  return {
    errCount: endpoints.reduce((sum, each) => sum + each.errCount, 0),
    withoutKind: endpoints.reduce((sum, each) => sum + each.withoutKind, 0),
    kinds: mostFrequent(merged, (rest) => ({
      ...mergedKind(rest, resolutionSeconds),
      ...OTHER_FAILURES,
    })),
  };
}

/** Merges kinds under the name of the first. */
function mergedKind(kinds: readonly MergedKind[], resolutionSeconds: number): MergedKind {
  const [{ code, message } = OTHER_FAILURES] = kinds;
  const begins = kinds.flatMap(({ from }) => from ?? []);
  const ends = kinds.flatMap(({ until }) => until ?? []);
  return {
    code,
    message,
    count: kinds.reduce((sum, { count }) => sum + count, 0),
    from: begins.length === 0 ? undefined : begins.reduce((a, b) => Math.min(a, b)),
    until: ends.length === 0 ? undefined : ends.reduce((a, b) => Math.max(a, b)),
    seconds: mergedSeconds(kinds, resolutionSeconds),
    endpoints: mergedEndpoints(kinds.flatMap(({ endpoints }) => endpoints)),
  };
}

function mergedEndpoints(endpoints: readonly EndpointCount[]): readonly EndpointCount[] {
  return [...Map.groupBy(endpoints, ({ hash }) => hash).values()]
    .flatMap((group) => {
      const count = group.reduce((sum, each) => sum + each.count, 0);
      return group.slice(0, 1).map((first) => ({ ...first, count }));
    })
    .toSorted((left, right) => right.count - left.count);
}
