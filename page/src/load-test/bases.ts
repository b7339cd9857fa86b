import { linkTo } from "../address/address.ts";
import type { Scope } from "../api/figures.ts";
import type { LoadTest } from "../api/load-tests.ts";

/** Load tests that another can be compared with. */
export interface Bases {
  readonly sameName: readonly LoadTest[];
  readonly others: readonly LoadTest[];
}

/** Those with the same name first, each group in listed order; never the load test itself. */
export function basesFor(
  { id, name }: Pick<LoadTest, "id" | "name">,
  listed: readonly LoadTest[],
): Bases {
  const known = new Map(listed.map((each) => [each.id, each]));
  known.delete(id);
  const all = [...known.values()];
  return {
    sameName: all.filter((each) => each.name === name),
    others: all.filter((each) => each.name !== name),
  };
}

/**
 * The comparison of a scope with another run: the same seconds since the start, and the endpoint if a single one
 * is selected. `start` is the first UNIX second of the scope's run.
 */
export function compareLink(base: string, scope: Scope, start: number): string {
  const { id, filter, hashes, from, until, where, by } = scope;
  const parameters = Object.entries({
    skipStart: from === undefined || from <= start ? undefined : from - start,
    until: until === undefined ? undefined : until - start,
    filter: filter === "" ? undefined : filter,
    endpoint: hashes.length === 1 ? hashes[0] : undefined,
    where,
    by,
  });
  const given = parameters.flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as const],
  );
  return linkTo({ name: "compare", base, id }, new Map(given));
}
