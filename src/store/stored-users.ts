/** Active users as every store keeps and answers them. */

import { type UserTable, mergeUsers } from "../model/active-users.ts";
import { compareLabels } from "../model/label.ts";
import type { SecondRange } from "../model/second-range.ts";
import { indexesOf, lowerBound } from "./series.ts";
import type { PointBatch } from "./store.ts";
import type { GeneratorUsers } from "./snapshot.ts";

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

/** The users of one source, or of a part of it. */
export interface SourceUsers {
  readonly sourceId: string;
  readonly users: UserTable;
}

/**
 * The users of a batch, with generators of well-formed Unicode: merged, so that the same users are
 * the same table however they were told.
 */
export function storedUsers({ users }: PointBatch): UserTable {
  if (users === undefined) return NO_USERS;
  const generators = users.generators.map((name) => name.toWellFormed());
  return mergeUsers([{ generators, counts: users.counts }]);
}

/** The users of each generator in a range, out of all parts, in order. Throws `sum-too-large`. */
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
