import { addExactly } from "./exact.ts";
import { compareLabels } from "./label.ts";
import { concatenate, groupRows } from "./row-groups.ts";

/**
 * Columns sorted by (generator, second), unique. A generator reports either active users (`active`, merged by
 * maximum) or changes (`started`, `ended`, merged by addition); the other columns are 0.
 */
export interface UserCounts {
  readonly generator: Uint32Array;
  /** UNIX second, at least 1. */
  readonly second: Uint32Array;
  /** Maximum within this second. */
  readonly active: Float64Array;
  readonly started: Float64Array;
  readonly ended: Float64Array;
}

export interface UserTable {
  /** Machines or processes of a source whose users add up, such as JMeter's hosts; the empty text if only one. */
  readonly generators: readonly string[];
  readonly counts: UserCounts;
}

/**
 * Merges tables whose rows may be unsorted and repeated. Generators are unique, used and ascending by UTF-8
 * bytes; rows are sorted by (generator, second). Throws `sum-too-large`.
 */
export function mergeUsers(parts: readonly UserTable[]): UserTable {
  const generators = uniteGenerators(parts);
  const numberOf = new Map(generators.map((name, number) => [name, number]));
  const generator = concatenate(Uint32Array, parts, ({ generators: own, counts }) =>
    counts.generator.map((number) => numberOf.get(own[number] ?? "") ?? 0),
  );
  const second = concatenate(Uint32Array, parts, ({ counts }) => counts.second);
  const joined = (name: "active" | "started" | "ended") =>
    concatenate(Float64Array, parts, ({ counts }) => counts[name]);
  const groups = groupRows([generator, second]);
  return {
    generators,
    counts: {
      generator: groups.first(generator),
      second: groups.first(second),
      active: groups.reduce(joined("active"), Math.max),
      started: groups.reduce(joined("started"), addExactly),
      ended: groups.reduce(joined("ended"), addExactly),
    },
  };
}

function uniteGenerators(parts: readonly UserTable[]): readonly string[] {
  const used = new Set<string>();
  for (const { generators, counts } of parts) {
    for (const number of new Set(counts.generator)) {
      const name = generators[number];
      if (name === undefined) {
        throw new Error(`BUG: users have generator ${number} of ${generators.length}`);
      }
      used.add(name);
    }
  }
  return [...used].toSorted(compareLabels);
}
