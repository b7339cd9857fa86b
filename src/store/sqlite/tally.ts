/** The summary numbers of a batch, a source or a load test, kept beside the points they count. */

import type { BatchContents } from "../batch-contents.ts";
import { encodeEndpointSet, uniteSets } from "./endpoint-set.ts";

export interface Tally {
  /** Written; those of live sources may have been sealed since. */
  readonly blocks: number;
  /** An endpoint set. */
  readonly endpoints: Uint8Array;
  readonly requests: number;
  readonly failedRequests: number;
  /** Second 0 does not count; `undefined` where there is no other one. */
  readonly firstSecond: number | undefined;
  readonly lastSecond: number | undefined;
}

export const EMPTY_TALLY: Tally = {
  blocks: 0,
  endpoints: new Uint8Array(0),
  requests: 0,
  failedRequests: 0,
  firstSecond: undefined,
  lastSecond: undefined,
};

/** Counts what is stored as so many blocks. */
export function tallyOf({ points, failures }: BatchContents, blocks: number): Tally {
  const { columns, runs } = points;
  let [requests, failedRequests] = [0, 0];
  let [first, last] = [Infinity, 0];
  for (let point = 0; point < columns.second.length; point++) {
    requests += columns.requests[point] as number;
    failedRequests += columns.failedRequests[point] as number;
    const second = columns.second[point] as number;
    if (second > last) last = second;
    if (second > 0 && second < first) first = second;
  }
  const endpoints = uniteSets([
    encodeEndpointSet(runs.map(({ endpoint }) => endpoint)),
    encodeEndpointSet(failures.counts.endpoint),
  ]);
  const seconds =
    last === 0
      ? { firstSecond: undefined, lastSecond: undefined }
      : { firstSecond: first, lastSecond: last };
  return { blocks, endpoints, requests, failedRequests, ...seconds };
}

/** Requests beyond 2^53 - 1 make `requests` larger than that, but not exact: to be refused. */
export function addTallies(tallies: readonly Tally[]): Tally {
  const sum = (pick: (tally: Tally) => number) =>
    tallies.reduce((total, tally) => total + pick(tally), 0);
  const seconds = (pick: (tally: Tally) => number | undefined) =>
    tallies.map((tally) => pick(tally)).filter((second) => second !== undefined);
  return {
    blocks: sum(({ blocks }) => blocks),
    endpoints: uniteSets(tallies.map(({ endpoints }) => endpoints)),
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
