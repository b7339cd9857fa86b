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
