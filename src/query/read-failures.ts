import type { EndpointFailureCounts } from "../api/failures.ts";
import { FAILURE_KINDS_MAX, type FailureKind, OTHER_FAILURES } from "../model/failures.ts";
import { ALL_SECONDS, type SecondRange, withoutSecondZero } from "../model/columns.ts";
import { type SelectedPart, hashOfLabel } from "../series/endpoint-selection.ts";
import { listByLabel, selectNumbers, overallNumbers } from "../series/selected-series.ts";
import { withSnapshot, type Snapshots } from "../series/open-snapshot.ts";
import { paced } from "../concurrency/yielder.ts";
import type { EndpointFailures, EndpointIndex } from "../store/snapshot.ts";
import { windowOf } from "./coarse-points.ts";

export interface FailuresQuery extends SelectedPart {
  /** Whether to merge the endpoints (`overall.ts`). @default false */
  readonly isMerged?: boolean;
}

export interface FailuresAnswer {
  /** See `Snapshot.revision`. */
  readonly revision: string;
  readonly endpoints: readonly EndpointFailureKinds[];
}

export interface EndpointFailureKinds extends Omit<EndpointFailureCounts, "kinds"> {
  /** Most frequent first; at most `FAILURE_KINDS_MAX`, the rest is counted as `(other)`. */
  readonly kinds: readonly KindCount[];
}

export type KindCount = EndpointFailureCounts["kinds"][number] & {
  /** Failures per second that has any, ascending. */
  readonly seconds: readonly SecondCount[];
};

export interface SecondCount {
  readonly second: number;
  readonly requests: number;
}

/** Reads failures by kind. Throws `unknown-load-test`, and what the store throws. */
export async function readFailures(
  points: Snapshots,
  query: FailuresQuery,
): Promise<FailuresAnswer> {
  return withSnapshot(points, query, async (snapshot) => {
    const range = query.range === undefined ? ALL_SECONDS : withoutSecondZero(query.range);
    const index = await snapshot.index();
    const selected = await selectNumbers(index, query.selection);
    const inOverall = overallNumbers(index, selected, query.selection);
    const hasAll = query.isMerged === true || inOverall.length === selected.length;
    const failed = await countFailed(index, query.isMerged ? inOverall : selected, range);
    const failing = await listByLabel(index, Uint32Array.from(failed.keys()));
    const answer: EndpointFailureKinds[] = [];
    for await (const failures of paced(snapshot.failures(failing, range))) {
      const { number, label, role } = failures.endpoint;
      const kinds = mostFrequent(countKinds(failures), (rest) =>
        countOf(OTHER_FAILURES, mergedSeconds(rest, 1)),
      );
      const errCount = failed.get(number) as number;
      const named = kinds.reduce((total, { count }) => total + count, 0);
      // Line protocol reports reasons separately from requests: one can arrive without the other.
      const withoutKind = Math.max(0, errCount - named);
      const leftOut = hasAll ? undefined : role;
      answer.push({ label, hash: hashOfLabel(label), leftOut, errCount, withoutKind, kinds });
    }
    return { revision: snapshot.revision, endpoints: answer };
  });
}

/** Failed requests by endpoint number, ascending. */
async function countFailed(
  index: EndpointIndex,
  numbers: Uint32Array,
  range: SecondRange,
): Promise<ReadonlyMap<number, number>> {
  const failed = new Map<number, number>();
  for await (const { endpoint, failedRequests } of paced(index.scan(numbers, range, "sums"))) {
    for (let point = 0; point < endpoint.length; point++) {
      const count = failedRequests[point] as number;
      const number = endpoint[point] as number;
      if (count !== 0) failed.set(number, (failed.get(number) ?? 0) + count);
    }
  }
  return failed;
}

function countKinds({ kinds, kind, second, requests }: EndpointFailures): KindCount[] {
  const seconds = kinds.map((): SecondCount[] => []);
  for (let row = 0; row < kind.length; row++) {
    const at = { second: second[row] as number, requests: requests[row] as number };
    seconds[kind[row] as number]?.push(at);
  }
  return kinds.map((each, index) => countOf(each, seconds[index] ?? []));
}

function countOf({ code, message }: FailureKind, seconds: readonly SecondCount[]): KindCount {
  const known = seconds.filter(({ second }) => second > 0);
  return {
    code,
    message,
    count: seconds.reduce((total, { requests }) => total + requests, 0),
    from: known[0]?.second,
    until: known.at(-1)?.second,
    seconds,
  };
}

/** Most frequent kinds first, at most `FAILURE_KINDS_MAX`; ties stay in order. `merge` makes one kind of the rest. */
export function mostFrequent<Kind extends KindCount>(
  kinds: readonly Kind[],
  merge: (rest: readonly Kind[]) => Kind,
): readonly Kind[] {
  const named = kinds
    .filter((kind) => !isOther(kind))
    .toSorted((left, right) => right.count - left.count);
  const rest = [...kinds.filter(isOther), ...named.slice(FAILURE_KINDS_MAX)];
  const shown = named.slice(0, FAILURE_KINDS_MAX);
  return rest.length === 0 ? shown : [...shown, merge(rest)];
}

function isOther({ code, message }: FailureKind): boolean {
  return code === OTHER_FAILURES.code && message === OTHER_FAILURES.message;
}

/** Sums the seconds of several kinds into windows of `resolutionSeconds`. */
export function mergedSeconds(
  kinds: readonly KindCount[],
  resolutionSeconds: number,
): readonly SecondCount[] {
  const counts = new Map<number, number>();
  for (const { second, requests } of kinds.flatMap(({ seconds }) => seconds)) {
    const at = windowOf(second, resolutionSeconds);
    counts.set(at, (counts.get(at) ?? 0) + requests);
  }
  return [...counts]
    .map(([second, requests]) => ({ second, requests }))
    .toSorted((left, right) => left.second - right.second);
}
