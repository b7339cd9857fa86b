import type { LoadTest } from "../api/load-tests.ts";

/** Load tests that another one may be compared with. */
export interface Bases {
  readonly sameName: readonly LoadTest[];
  readonly others: readonly LoadTest[];
}

/** Those of the same name apart, each group as it was listed; never the load test itself. */
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
