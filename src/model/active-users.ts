import { addExactly } from "./exact.ts";
import { compareLabels } from "./label.ts";
import { groupRows } from "./row-groups.ts";

/**
 * Active users as columns, sorted by (generator, second), no pair twice. A tool tells either how many
 * users were active (`active`, merged by maximum) or how many came and went (`started`, `ended`,
 * merged by addition); the columns of the other way are 0. A generator uses one way only.
 */
export interface UserCounts {
  /** Index into the names of load generators that the counts travel with. */
  readonly generator: Uint32Array;
  /** UNIX second, at least 1. */
  readonly second: Uint32Array;
  /** Most users that were seen active in this second. */
  readonly active: Float64Array;
  readonly started: Float64Array;
  readonly ended: Float64Array;
}

/** Counts together with the generators that they point into. */
export interface UserTable {
  /**
   * What tells apart the machines (or processes) of one source whose users add up, such as JMeter's
   * host name; the empty text where a source has only one.
   */
  readonly generators: readonly string[];
  readonly counts: UserCounts;
}

/** Merging active users: `active` by maximum, `started` and `ended` by addition. */
/**
 * Merges tables in any order, rows in any order and any number of times the same (generator,
 * second), into one whose generators are all used, each once, ascending by UTF-8 bytes; rows are
 * sorted by (generator, second). Throws `sum-too-large`.
 */
export function mergeUsers(parts: readonly UserTable[]): UserTable {
  const generators = uniteGenerators(parts);
  const numberOf = new Map(generators.map((name, number) => [name, number]));
  const rows = parts.reduce((sum, { counts }) => sum + counts.second.length, 0);
  const generator = new Uint32Array(rows);
  const second = new Uint32Array(rows);
  const [active, started, ended] = [0, 1, 2].map(() => new Float64Array(rows)) as [
    Float64Array,
    Float64Array,
    Float64Array,
  ];
  let at = 0;
  for (const part of parts) {
    const numbers = part.generators.map((name) => numberOf.get(name) ?? 0);
    second.set(part.counts.second, at);
    active.set(part.counts.active, at);
    started.set(part.counts.started, at);
    ended.set(part.counts.ended, at);
    for (const own of part.counts.generator) generator[at++] = numbers[own] as number;
  }
  const groups = groupRows([generator, second]);
  return {
    generators,
    counts: {
      generator: groups.first(generator),
      second: groups.first(second),
      active: groups.reduce(active, Math.max),
      started: groups.reduce(started, addExactly),
      ended: groups.reduce(ended, addExactly),
    },
  };
}

/** The names that any row points to, in order. */
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
