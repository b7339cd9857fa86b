import { hash } from "node:crypto";
import { Yielder } from "../concurrency/yielder.ts";
import { pointDetail, type ScannedDetail } from "./snapshot.ts";
import { labelOfSeries } from "../model/series/facets.ts";
import type { Endpoint } from "../model/load-test.ts";
import { NumberSet } from "../model/row-groups.ts";
import type { DerivedRole } from "../model/role.ts";
import type { SecondRange } from "../model/columns.ts";
import type { EndpointIndex, Snapshot } from "./snapshot.ts";

/** Endpoint index in memory, ordered by label; reads points endpoint by endpoint. */
export function listedIndex(
  endpoints: readonly Endpoint[],
  reading: Pick<Snapshot, "read">,
): EndpointIndex {
  const numbers = numbersOf(endpoints);
  let byNumber: ReadonlyMap<number, Endpoint> | undefined;

  function listed(wanted: Uint32Array): readonly Endpoint[] {
    if (wanted.length === endpoints.length) return endpoints;
    const set = new NumberSet(wanted);
    return wanted.length === 0 ? [] : endpoints.filter(({ number }) => set.has(number));
  }

  function named(wanted: Iterable<number>): readonly Endpoint[] {
    const known = (byNumber ??= new Map(endpoints.map((each) => [each.number, each])));
    return Array.from(wanted, (number) => known.get(number) as Endpoint);
  }

  return {
    isLarge: false,
    numbers,
    roles: rolesOf(endpoints),
    containing: async (text) => numbersOf(endpoints.filter(({ label }) => label.includes(text))),
    async hashed(hashes) {
      const wanted = new Set(hashes);
      const found: Endpoint[] = [];
      // Should two labels have the same hash, it is that of the first.
      const labels = new Map<string, string>();
      const yielder = new Yielder();
      for (const [at, endpoint] of endpoints.entries()) {
        const label = labelOfSeries(endpoint.label);
        const own = hash("sha1", label);
        if (wanted.has(own) && !labels.has(own)) labels.set(own, label);
        if (labels.get(own) === label) found.push(endpoint);
        if (at % HASHED_AT_ONCE === 0) await yielder.pass();
      }
      return numbersOf(found);
    },
    named: async (wanted) => named(wanted),
    async first(wanted, limit, order) {
      const own = listed(wanted);
      return order === "ascending" ? own.slice(0, limit) : own.toReversed().slice(0, limit);
    },
    async *byLabel(wanted) {
      yield listed(wanted);
    },
    async *scan(wanted: Uint32Array, range: SecondRange, detail: ScannedDetail) {
      // `detail` determines the columns.
      const all = reading.read(named(wanted), range, pointDetail(detail) as "sums");
      for await (const { endpoint, columns } of all) {
        const { length } = columns.second;
        if (length > 0) yield withEndpoint(columns, endpoint.number, length) as never;
      }
    },
  };
}

/** Labels hashed between checks of the clock. */
const HASHED_AT_ONCE = 64;

function withEndpoint<Columns>(columns: Columns, number: number, points: number) {
  return { ...columns, endpoint: new Uint32Array(points).fill(number) };
}

/** Ascending. */
function numbersOf(endpoints: readonly Endpoint[]): Uint32Array {
  const numbers = new Uint32Array(endpoints.length);
  for (const [at, { number }] of endpoints.entries()) numbers[at] = number;
  return numbers.toSorted();
}

function rolesOf(endpoints: readonly Endpoint[]): EndpointIndex["roles"] {
  const roles = new Map<number, DerivedRole>();
  for (const { number, role } of endpoints) if (role !== undefined) roles.set(number, role);
  return roles;
}
