import { FAILURE_KINDS_MAX, type FailureKind, OTHER_FAILURES } from "../model/failures.ts";
import { ALL_SECONDS, type SecondRange, withoutSecondZero } from "../model/second-range.ts";
import type { Endpoint } from "../model/load-test.ts";
import type { DerivedRole } from "../model/role.ts";
import {
  type EndpointSelection,
  hashOfLabel,
  selectEndpoints,
} from "../series/endpoint-selection.ts";
import { labelledParts, selectNumbers, wholeNumbers } from "../series/many-selected.ts";
import { openSnapshot, type Snapshots } from "../series/open-snapshot.ts";
import { TimeSlice } from "../series/time-slice.ts";
import { wholeOf } from "../series/whole.ts";
import type { EndpointFailures, ManyEndpoints, Snapshot } from "../store/snapshot.ts";

export interface FailuresQuery {
  readonly loadTestId: string;
  readonly selection: EndpointSelection;
  /** `undefined`: everything, requests without a known instant included. */
  readonly range: SecondRange | undefined;
  /** Whether the answer will be merged into one: then of a whole (`whole.ts`). @default false */
  readonly isMerged?: boolean;
}

/** Why requests of a load test failed. */
export interface FailuresAnswer {
  /** See `Snapshot.revision`. */
  readonly revision: string;
  /** Those that have failed requests, by label. */
  readonly endpoints: readonly EndpointFailureKinds[];
}

export interface EndpointFailureKinds {
  readonly label: string;
  readonly hash: string;
  /** What its rows are, where a whole of what was selected is without them (`whole.ts`). */
  readonly leftOut?: DerivedRole | undefined;
  /** All failed requests, those of kinds and those without. */
  readonly failedRequests: number;
  /** Failed requests of which the source did not say why. */
  readonly withoutKind: number;
  /** Most frequent first; at most `FAILURE_KINDS_MAX`, what is beyond stands under `(other)`. */
  readonly kinds: readonly KindCount[];
}

export interface KindCount extends FailureKind {
  readonly requests: number;
  /** First and last UNIX second with such a failure; `undefined` where no instant is known. */
  readonly from: number | undefined;
  readonly until: number | undefined;
  /** Failures in each second that has any, ascending. */
  readonly seconds: readonly SecondCount[];
}

export interface SecondCount {
  readonly second: number;
  readonly requests: number;
}

/** Reads failures by kind. Throws `unknown-load-test`, and what the store throws. */
export async function readFailures(
  points: Snapshots,
  query: FailuresQuery,
): Promise<FailuresAnswer> {
  const snapshot = await openSnapshot(points, query.loadTestId);
  try {
    const slice = new TimeSlice();
    const range = query.range === undefined ? ALL_SECONDS : withoutSecondZero(query.range);
    const { endpoints, isWhole } = await perhapsFailing(snapshot, query, range, slice);
    const kinds = new Map<number, KindCount[]>();
    for await (const failures of snapshot.failures(endpoints, range)) {
      kinds.set(failures.endpoint.number, limited(countKinds(failures)));
      if (slice.isOver()) await slice.next();
    }
    const answer: EndpointFailureKinds[] = [];
    for await (const { endpoint, columns } of snapshot.read(endpoints, range, "sums")) {
      const failedRequests = sum(columns.failedRequests);
      if (slice.isOver()) await slice.next();
      if (failedRequests === 0) continue;
      const own = kinds.get(endpoint.number) ?? [];
      const named = own.reduce((total, { requests }) => total + requests, 0);
      const hash = hashOfLabel(endpoint.label);
      // Line protocol tells kinds apart from requests: one can arrive without the other.
      const withoutKind = Math.max(0, failedRequests - named);
      const leftOut = isWhole ? undefined : endpoint.role;
      const { label } = endpoint;
      answer.push({ label, hash, leftOut, failedRequests, withoutKind, kinds: own });
    }
    return { revision: snapshot.revision, endpoints: answer };
  } finally {
    snapshot.release();
  }
}

interface PerhapsFailing {
  readonly endpoints: readonly Endpoint[];
  /** Whether none of them is left out of a whole. */
  readonly isWhole: boolean;
}

/** Those that are selected; of very many only those that failed, by label. */
async function perhapsFailing(
  snapshot: Snapshot,
  { selection, isMerged = false }: FailuresQuery,
  range: SecondRange,
  slice: TimeSlice,
): Promise<PerhapsFailing> {
  const many = await snapshot.many?.();
  if (many === undefined) {
    const selected = await selectEndpoints(await snapshot.endpoints(), selection, slice);
    const whole = wholeOf(selected, selection);
    const isWhole = isMerged || whole.length === selected.length;
    return { endpoints: isMerged ? whole : selected, isWhole };
  }
  const selected = await selectNumbers(many, selection);
  const whole = wholeNumbers(many, selected, selection);
  const endpoints = await failingOf(many, isMerged ? whole : selected, range, slice);
  return { endpoints, isWhole: isMerged || whole.length === selected.length };
}

/** Those that failed, by label. */
async function failingOf(
  many: ManyEndpoints,
  numbers: Uint32Array,
  range: SecondRange,
  slice: TimeSlice,
): Promise<readonly Endpoint[]> {
  const failing: number[] = [];
  for await (const { endpoint, failedRequests } of many.scan(numbers, range, "sums")) {
    for (let point = 0; point < endpoint.length; point++) {
      const number = endpoint[point] as number;
      if (failedRequests[point] !== 0 && failing.at(-1) !== number) failing.push(number);
    }
    if (slice.isOver()) await slice.next();
  }
  const endpoints: Endpoint[] = [];
  for await (const part of labelledParts(many, Uint32Array.from(failing))) endpoints.push(...part);
  return endpoints;
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
    requests: seconds.reduce((total, { requests }) => total + requests, 0),
    from: known[0]?.second,
    until: known.at(-1)?.second,
    seconds,
  };
}

/** The most frequent kinds first; equal ones stay by code and message. */
function limited(kinds: readonly KindCount[]): KindCount[] {
  const named = kinds
    .filter((kind) => !isOther(kind))
    .toSorted((left, right) => right.requests - left.requests);
  const others = [...kinds.filter(isOther), ...named.slice(FAILURE_KINDS_MAX)];
  const shown = named.slice(0, FAILURE_KINDS_MAX);
  return others.length === 0 ? shown : [...shown, merged(others)];
}

function isOther({ code, message }: FailureKind): boolean {
  return code === OTHER_FAILURES.code && message === OTHER_FAILURES.message;
}

function merged(kinds: readonly KindCount[]): KindCount {
  const counts = new Map<number, number>();
  for (const { second, requests } of kinds.flatMap(({ seconds }) => seconds)) {
    counts.set(second, (counts.get(second) ?? 0) + requests);
  }
  const seconds = [...counts]
    .map(([second, requests]) => ({ second, requests }))
    .toSorted((left, right) => left.second - right.second);
  return countOf(OTHER_FAILURES, seconds);
}

function sum(column: Float64Array): number {
  return column.reduce((total, value) => total + value, 0);
}
