/** Summary numbers of a batch, a source or a load test, stored next to the points they count. */

import { NumberSet } from "../../../model/row-groups.ts";
import { labelsOfMeasures, NO_MEASURES } from "../../../model/measures/measure-table.ts";
import { factsOf, secondsIn } from "../../../model/point-facts.ts";
import {
  choiceIn,
  derivedRole,
  type StoredRole,
  STORED_ROLES,
  strongerRole,
} from "../../../model/role.ts";
import type { BatchContents } from "../../batch-digest.ts";
import { encodeEndpointSet, numbersIn, sizeOfSet, uniteSets } from "../../block/endpoint-set.ts";
import type { EndpointRuns } from "../../series.ts";
import { UserError } from "../../../model/errors.ts";
import { ByteReader, ByteWriter } from "../../block/bytes.ts";
import { sumOf } from "../../../model/columns.ts";

export interface Tally {
  /** Blocks written; those of live sources may have been compacted since. */
  readonly blocks: number;
  readonly endpoints: Uint8Array;
  /** Endpoint set of those that any batch marks as requests. */
  readonly requestEndpoints: Uint8Array;
  /** Row counts of the endpoints that any batch marks as not being requests. */
  readonly roleCounts: RoleCounts;
  /** Rows, including those of transactions and sub-results. */
  readonly requests: number;
  readonly failedRequests: number;
  /** Of rows that the batch does not hide. Second 0 is ignored; `undefined` if there is no other one. */
  readonly firstSecond: number | undefined;
  readonly lastSecond: number | undefined;
}

export const NO_ROLE_COUNTS: RoleCounts = new Map();

export const EMPTY_TALLY: Tally = {
  blocks: 0,
  endpoints: new Uint8Array(0),
  requestEndpoints: new Uint8Array(0),
  roleCounts: NO_ROLE_COUNTS,
  requests: 0,
  failedRequests: 0,
  firstSecond: undefined,
  lastSecond: undefined,
};

/** Counts data that is stored in this many blocks. */
export function tallyOf(contents: BatchContents, blocks: number): Tally {
  const { points, failures, roles, measures = NO_MEASURES } = contents;
  const { columns, runs } = points;
  const { requests, failedRequests, ...ofAll } = factsOf(columns);
  const isHidden = (endpoint: number): boolean => choiceIn(roles.get(endpoint)) !== undefined;
  const { firstSecond, lastSecond } = [...roles.keys()].some(isHidden)
    ? secondsIn(
        columns,
        rangesWhere(runs, (endpoint) => !isHidden(endpoint)),
      )
    : ofAll;
  const endpoints = uniteSets([
    encodeEndpointSet(runs.endpoint),
    encodeEndpointSet(failures.counts.endpoint),
    encodeEndpointSet(labelsOfMeasures(measures)),
  ]);
  const requestEndpoints =
    roles.size === 0
      ? endpoints
      : encodeEndpointSet(numbersIn(endpoints).filter((endpoint) => !roles.has(endpoint)));
  const roleCounts = roleCountsOf(contents);
  return {
    blocks,
    endpoints,
    requestEndpoints,
    roleCounts,
    requests,
    failedRequests,
    firstSecond,
    lastSecond,
  };
}

function* rangesWhere(
  { endpoint, from, until }: EndpointRuns,
  isWanted: (endpoint: number) => boolean,
): Generator<readonly [number, number]> {
  for (const [run, number] of endpoint.entries()) {
    if (isWanted(number)) yield [from[run] as number, until[run] as number];
  }
}

interface UncountedRows extends Pick<Tally, "requests" | "failedRequests"> {
  /** Endpoints that are hidden on demand, ascending. */
  readonly hidden: readonly number[];
}

/**
 * Rows that do not count as requests: those of endpoints that all batches hide, and those that all mark as transactions or
 * sub-results, unless all others are.
 */
export function uncountedRows({
  endpoints,
  requestEndpoints,
  roleCounts,
}: Pick<Tally, "endpoints" | "requestEndpoints" | "roleCounts">): UncountedRows {
  const none = { endpoints: 0, requests: 0, failedRequests: 0 };
  const [hidden, repeated] = [{ ...none }, { ...none }];
  const numbers: number[] = [];
  if (roleCounts.size === 0) return { hidden: [], requests: 0, failedRequests: 0 };
  const areRequests = new NumberSet(numbersIn(requestEndpoints));
  for (const [endpoint, { role, requests, failedRequests }] of roleCounts) {
    const counts = choiceIn(role) === undefined ? repeated : hidden;
    const isCounted = counts === repeated && derivedRole(role) === undefined;
    if (isCounted || areRequests.has(endpoint)) continue;
    counts.endpoints += 1;
    if (counts === hidden) numbers.push(endpoint);
    counts.requests += requests;
    counts.failedRequests += failedRequests;
  }
  const isAll = repeated.endpoints === sizeOfSet(endpoints) - hidden.endpoints;
  const left = isAll ? none : repeated;
  return {
    hidden: numbers.toSorted((one, other) => one - other),
    requests: hidden.requests + left.requests,
    failedRequests: hidden.failedRequests + left.failedRequests,
  };
}

/** Above 2^53 - 1, `requests` is inexact, and the caller must refuse it. */
export function addTallies(tallies: readonly Tally[]): Tally {
  const sum = (pick: (tally: Tally) => number) =>
    tallies.reduce((total, tally) => total + pick(tally), 0);
  const seconds = (pick: (tally: Tally) => number | undefined) =>
    tallies.map((tally) => pick(tally)).filter((second) => second !== undefined);
  return {
    blocks: sum(({ blocks }) => blocks),
    endpoints: uniteSets(tallies.map(({ endpoints }) => endpoints)),
    requestEndpoints: uniteSets(tallies.map(({ requestEndpoints }) => requestEndpoints)),
    roleCounts: addRoleCounts(tallies.map(({ roleCounts }) => roleCounts)),
    requests: sum(({ requests }) => requests),
    failedRequests: sum(({ failedRequests }) => failedRequests),
    firstSecond: extreme(
      Math.min,
      seconds(({ firstSecond }) => firstSecond),
    ),
    lastSecond: extreme(
      Math.max,
      seconds(({ lastSecond }) => lastSecond),
    ),
  };
}

function extreme(
  choose: (left: number, right: number) => number,
  seconds: readonly number[],
): number | undefined {
  return seconds.length === 0 ? undefined : seconds.reduce((left, right) => choose(left, right));
}

type RepeatedRole = Exclude<StoredRole, "request">;

interface RoleCount {
  readonly role: RepeatedRole;
  /** Rows of points. */
  readonly requests: number;
  readonly failedRequests: number;
}

/** By endpoint. May include endpoints that count as requests elsewhere. */
export type RoleCounts = ReadonlyMap<number, RoleCount>;

/** Counts the rows of all endpoints with a role. */
function roleCountsOf({ points, failures, roles }: BatchContents): RoleCounts {
  if (roles.size === 0) return NO_ROLE_COUNTS;
  const counts = new Map<number, RoleCount>();
  for (const endpoint of failures.counts.endpoint) {
    const role = roles.get(endpoint);
    if (role !== undefined) counts.set(endpoint, { role, requests: 0, failedRequests: 0 });
  }
  const { requests, failedRequests } = points.columns;
  for (const [run, endpoint] of points.runs.endpoint.entries()) {
    const role = roles.get(endpoint);
    if (role === undefined) continue;
    const range = [points.runs.from[run], points.runs.until[run]] as const;
    const own = {
      requests: sumOf(requests, ...range),
      failedRequests: sumOf(failedRequests, ...range),
    };
    counts.set(endpoint, { role, ...own });
  }
  return counts;
}

/** Adds up the counts of several parts; the strongest role wins. */
export function addRoleCounts(parts: readonly RoleCounts[]): RoleCounts {
  const [first, ...others] = parts.filter(({ size }) => size > 0);
  if (first === undefined || others.length === 0) return first ?? NO_ROLE_COUNTS;
  const sums = new Map(first);
  for (const part of others) {
    for (const [endpoint, added] of part) {
      const { role, requests, failedRequests } = sums.get(endpoint) ?? { ...added, ...NOTHING };
      sums.set(endpoint, {
        // Neither is a request; the stronger role wins.
        role: strongerRole(role, added.role),
        requests: requests + added.requests,
        failedRequests: failedRequests + added.failedRequests,
      });
    }
  }
  return sums;
}

const NOTHING = { requests: 0, failedRequests: 0 };

/** Encodes four varints per endpoint, ascending: numbers skipped, index in `STORED_ROLES`, both counts. */
export function encodeRoleCounts(counts: RoleCounts): Uint8Array {
  const writer = new ByteWriter();
  let next = 0;
  for (const [endpoint, count] of [...counts].toSorted(([left], [right]) => left - right)) {
    writer.varint(endpoint - next);
    writer.varint(STORED_ROLES.indexOf(count.role));
    writer.varint(count.requests);
    writer.varint(count.failedRequests);
    next = endpoint + 1;
  }
  return writer.view().slice();
}

/** Decodes them. Throws `damaged-store` for bytes in another format. */
export function decodeRoleCounts(bytes: Uint8Array): RoleCounts {
  try {
    return decode(bytes);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new UserError("damaged-store", "the rows counted by role cannot be read");
  }
}

function decode(bytes: Uint8Array): RoleCounts {
  const reader = new ByteReader(bytes);
  const counts = new Map<number, RoleCount>();
  let next = 0;
  while (reader.at < bytes.length) {
    const endpoint = next + reader.varint();
    const role = STORED_ROLES[reader.varint()];
    if (role === undefined || role === "request") throw new RangeError("no such role");
    const requests = reader.varint();
    counts.set(endpoint, { role, requests, failedRequests: reader.varint() });
    next = endpoint + 1;
  }
  return counts;
}
