/** Failures, reported percentiles and active users of a batch in the form that all stores use. */

import { type FailureTable, NO_FAILURES, mergeFailures } from "../model/failures.ts";
import type { Endpoint } from "../model/load-test.ts";
import type { SecondRange } from "../model/second-range.ts";
import type { NumbersOfLabels } from "./labels.ts";
import { indexesOf } from "./series.ts";
import { lowerBound } from "../model/columns.ts";
import type { PointBatch } from "./store.ts";
import type { EndpointFailures, GeneratorUsers } from "./snapshot.ts";
import {
  NO_PERCENTILES,
  type ReportedPercentiles,
  renumberReported,
} from "../model/reported-percentiles.ts";
import { type UserTable, mergeUsers } from "../model/active-users.ts";
import { compareLabels } from "../model/label.ts";

/** The failures of a batch by endpoint number, in well-formed Unicode, merged into a canonical table. */
export function storedFailures(
  { failures }: PointBatch,
  { numbers }: NumbersOfLabels,
): FailureTable {
  if (failures === undefined) return NO_FAILURES;
  const { kinds, counts } = failures;
  return mergeFailures([
    {
      kinds: kinds.map(({ code, message }) => ({
        code: code.toWellFormed(),
        message: message.toWellFormed(),
      })),
      counts: { ...counts, endpoint: counts.endpoint.map((index) => numbers[index] as number) },
    },
  ]);
}

/** Returns the failures of one endpoint in a range, from all parts. Throws `sum-too-large`. */
export function failuresOf(
  parts: readonly FailureTable[],
  endpoint: Endpoint,
  range: SecondRange,
): EndpointFailures {
  const own = parts.map((part) => selectFailures(part, endpoint.number, range));
  const { kinds, counts } = mergeFailures(own);
  const { kind, second, requests } = counts;
  return { endpoint, kinds, kind, second, requests };
}

/** Its table is sorted by endpoint. */
function selectFailures(
  { kinds, counts }: FailureTable,
  endpoint: number,
  range: SecondRange,
): FailureTable {
  const first = lowerBound(counts.endpoint, endpoint);
  const last = lowerBound(counts.endpoint, endpoint + 1);
  const second = counts.second.subarray(first, last);
  const isWanted = (_: number, row: number) => {
    const at = second[row] as number;
    return at >= range.from && at < range.until;
  };
  return {
    kinds,
    counts: {
      endpoint: counts.endpoint.subarray(first, last).filter(isWanted),
      kind: counts.kind.subarray(first, last).filter(isWanted),
      second: second.filter(isWanted),
      requests: counts.requests.subarray(first, last).filter(isWanted),
    },
  };
}

/** Returns the reported percentiles of a batch, by endpoint number. */
export function storedReported(
  { reported }: PointBatch,
  { numbers }: NumbersOfLabels,
): ReportedPercentiles {
  return reported === undefined
    ? NO_PERCENTILES
    : renumberReported(reported, (label) => numbers[label]);
}

export const NO_USERS: UserTable = {
  generators: [],
  counts: {
    generator: new Uint32Array(0),
    second: new Uint32Array(0),
    active: new Float64Array(0),
    started: new Float64Array(0),
    ended: new Float64Array(0),
  },
};

export interface SourceUsers {
  readonly sourceId: string;
  readonly users: UserTable;
}

/** Returns the users of a batch, with generators of well-formed Unicode, merged into a canonical table. */
export function storedUsers({ users }: PointBatch): UserTable {
  if (users === undefined) return NO_USERS;
  const generators = users.generators.map((name) => name.toWellFormed());
  return mergeUsers([{ generators, counts: users.counts }]);
}

/** Returns the users of each generator in a range, from all parts, in order. Throws `sum-too-large`. */
export function* usersOf(
  parts: readonly SourceUsers[],
  range: SecondRange,
): Generator<GeneratorUsers> {
  const bySource = Map.groupBy(parts, ({ sourceId }) => sourceId);
  for (const sourceId of [...bySource.keys()].toSorted(compareLabels)) {
    const { generators, counts } = mergeUsers(
      (bySource.get(sourceId) ?? []).map(({ users }) => users),
    );
    for (const [number, generator] of generators.entries()) {
      const first = lowerBound(counts.generator, number);
      const last = lowerBound(counts.generator, number + 1);
      const within = indexesOf(counts.second.subarray(first, last), range);
      const [from, until] = [first + within.from, first + within.until];
      if (from === until) continue;
      yield {
        sourceId,
        generator,
        second: counts.second.slice(from, until),
        active: counts.active.slice(from, until),
        started: counts.started.slice(from, until),
        ended: counts.ended.slice(from, until),
      };
    }
  }
}
