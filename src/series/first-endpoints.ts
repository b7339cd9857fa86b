import type { Endpoint } from "../model/load-test.ts";
import { type NumberSet, numbersWhere } from "../model/row-groups.ts";
import type { DerivedRole } from "../model/role.ts";
import type { OverallContents } from "./overall.ts";
import type { EndpointIndex, PointSums } from "../store/snapshot.ts";

/** Ranks endpoints by a value that is collected during a scan. */
export class EndpointValues {
  readonly #roles: ReadonlyMap<number, DerivedRole>;
  /** By number; `NaN` without requests. */
  readonly values: Float64Array;
  readonly #derived = new Map<number, DerivedRole>();

  constructor({ numbers, roles }: Pick<EndpointIndex, "numbers" | "roles">) {
    this.#roles = roles;
    this.values = new Float64Array((numbers.at(-1) ?? -1) + 1).fill(Number.NaN);
  }

  /** Adds the endpoints of a chunk, whose points are sorted by endpoint. */
  add<Points extends PointSums>(
    points: Points,
    valueOf: (points: Points, from: number, until: number) => number,
  ): void {
    const { endpoint } = points;
    for (let from = 0; from < endpoint.length;) {
      const number = endpoint[from] as number;
      let until = from + 1;
      while (until < endpoint.length && endpoint[until] === number) until += 1;
      this.values[number] = valueOf(points, from, until);
      const role = this.#roles.get(number);
      if (role !== undefined) this.#derived.set(number, role);
      from = until;
    }
  }

  /** See `overallContents`. `overall`: the numbers included in it; `undefined`: all. */
  contents(overall: NumberSet | undefined): OverallContents {
    const [within, leftOut] = [new Set<DerivedRole>(), { transactions: 0, subresults: 0 }];
    for (const [number, role] of this.#derived) {
      if (overall?.has(number) ?? true) within.add(role);
      else leftOut[`${role}s`] += 1;
    }
    return { overallOf: within.size === 0 ? "requests" : "everything", leftOut };
  }
}

export interface First {
  readonly limit: number;
  readonly isAscending: boolean;
}

/** Returns the first `limit` numbers by value, then label, unordered; none without a value. Throws `damaged-store`. */
export async function firstByValue(
  index: EndpointIndex,
  numbers: Uint32Array,
  values: Float64Array,
  { limit, isAscending }: First,
): Promise<readonly Endpoint[]> {
  const direction = isAscending ? 1 : -1;
  const keyOf = (number: number): number => direction * (values[number] as number);
  const boundary = boundaryOf(numbers, keyOf, limit);
  const before = numbersWhere(numbers, (number) => keyOf(number) < boundary);
  const equal = numbersWhere(numbers, (number) => keyOf(number) === boundary);
  const sure = await index.named(before);
  const rest = Math.min(limit - sure.length, equal.length);
  return rest === 0 ? sure : [...sure, ...(await index.first(equal, rest, "ascending"))];
}

/** Returns the largest key of the first `limit`; `Infinity` if there are not more. */
function boundaryOf(
  numbers: Uint32Array,
  keyOf: (number: number) => number,
  limit: number,
): number {
  const kept = new Float64Array(2 * limit);
  let [count, boundary] = [0, Infinity];
  for (const number of numbers) {
    const key = keyOf(number);
    // Comparisons with NaN are false.
    if (!(key < boundary)) continue;
    kept[count++] = key;
    if (count < kept.length) continue;
    kept.sort();
    [count, boundary] = [limit, kept[limit - 1] as number];
  }
  if (count < limit) return Infinity;
  return kept.subarray(0, count).toSorted()[limit - 1] as number;
}
